/** The trusted parts of a request: the address of the socket, the allowed hosts, the origin of a form. */
import type { ReviewDeps } from '../web-deps.ts';
import type { ReviewContext, ReviewEnv } from './respond.ts';

/** Returns the socket's peer and never a header, because any client can forge one. */
export function getPeerAddress(c: ReviewContext): string {
  const env: ReviewEnv['Bindings'] | undefined = c.env;
  return (env?.incoming?.socket?.remoteAddress ?? 'unknown').replace(/^::ffff:/, '');
}

/** Returns a positive number that the address names; undefined for anything else, or for one with more digits. */
export function parseQueryNumber(c: ReviewContext, name: string, mostDigits = 5): number | undefined {
  const text = c.req.query(name) ?? '';
  return /^[1-9]\d*$/.test(text) && text.length <= mostDigits ? Number(text) : undefined;
}

/** Cookies ignore the port, so with equal names two projects' pages on one host would sign out each other's readers. */
export function cookieName({ secure, signer }: Pick<ReviewDeps, 'secure' | 'signer'>): string {
  const name = `tandem-${signer.sign('cookie', 'name').slice(0, 8)}`;
  return secure ? `__Host-${name}` : name;
}

/** The domain of a DNS rebinding attacker is never in this list. */
export function isAllowedHost(host: string | undefined, { hosts }: Pick<ReviewDeps, 'hosts'>): boolean {
  return host !== undefined && hosts.includes(host.toLowerCase());
}

/** Browsers name the origin of a form; a request without an origin comes from no browser. */
export function isOwnOrigin(c: ReviewContext, deps: Pick<ReviewDeps, 'hosts'>): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = c.req.header('origin');
  if (origin === undefined) return true;
  return URL.canParse(origin) && isAllowedHost(new URL(origin).host, deps);
}
