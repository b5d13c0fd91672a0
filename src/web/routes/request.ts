/** What of a request is believed: the address of the socket, the allowed hosts, the origin of a form. */
import type { ReviewDeps } from '../web-deps.ts';
import type { ReviewContext, ReviewEnv } from './respond.ts';

/** The peer of the socket, never a header, because any client can forge one. */
export function addressOf(c: ReviewContext): string {
  const env: ReviewEnv['Bindings'] | undefined = c.env;
  return (env?.incoming?.socket?.remoteAddress ?? 'unknown').replace(/^::ffff:/, '');
}

/** Cookies know no port: pages of two projects on one host would sign each other's readers out, were their names the same. */
export function cookieName({ secure, signer }: Pick<ReviewDeps, 'secure' | 'signer'>): string {
  const name = `tandem-${signer.sign('cookie', 'name').slice(0, 8)}`;
  return secure ? `__Host-${name}` : name;
}

/** Names that a rebinding attacker's own domain cannot be among. */
export function isAllowedHost(host: string | undefined, { hosts }: Pick<ReviewDeps, 'hosts'>): boolean {
  return host !== undefined && hosts.includes(host.toLowerCase());
}

/** A form of this page comes from this page; browsers say so, and what says nothing is no browser. */
export function isOwnOrigin(c: ReviewContext, deps: Pick<ReviewDeps, 'hosts'>): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = c.req.header('origin');
  if (origin === undefined) return true;
  return URL.canParse(origin) && isAllowedHost(new URL(origin).host, deps);
}
