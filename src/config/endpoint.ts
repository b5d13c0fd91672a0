/** Chooses which Messages API the run talks to: the offline model, or an address and a key from the environment. */
import { usageError } from '../errors.ts';
import type { Config } from './schema.ts';

/** `apiKey` never goes into a Config, a digest, a log or a child process. */
export type Endpoint = { kind: 'simulated' } | { kind: 'api'; baseUrl: string; apiKey: string; loopback: boolean };

export const OFFICIAL_URL = 'https://api.anthropic.com';

export function chooseEndpoint(config: Config, env: Readonly<Record<string, string | undefined>>): Endpoint {
  const baseUrl = env['ANTHROPIC_BASE_URL']?.trim() || undefined;
  const apiKey = env['ANTHROPIC_API_KEY']?.trim() || undefined;
  if (baseUrl === undefined && (config.endpoint === 'simulated' || apiKey === undefined)) return { kind: 'simulated' };
  const url = parseUrl(baseUrl ?? OFFICIAL_URL);
  if (apiKey === undefined) {
    throw usageError(
      `ANTHROPIC_BASE_URL is ${url.origin}, but ANTHROPIC_API_KEY is not set. Set it (any word will do for tandem simulate).`,
    );
  }
  // The client adds `/v1/messages`, and many gateways include it, or `/v1`, in their address.
  const base = url.href.replace(/\/+$/, '').replace(/\/v1(?:\/messages)?$/, '');
  return { kind: 'api', baseUrl: base, apiKey, loopback: isLoopback(url.hostname) };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    // The message does not show the text: it may be the key, set in the wrong variable.
    throw usageError('ANTHROPIC_BASE_URL is not an http(s) address; set it to one such as https://api.anthropic.com.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usageError(
      `ANTHROPIC_BASE_URL is an address of ${url.origin} with a user, a password or a query, which would stand in reports and logs. Give the key in ANTHROPIC_API_KEY.`,
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw usageError(`ANTHROPIC_BASE_URL is ${url.origin}: a key is sent over plain http to loopback only. Use https.`);
  }
  return url;
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Returns the provider's name as limits, lanes and metrics use it. */
export function getProviderName(endpoint: Endpoint): string {
  return endpoint.kind === 'simulated' ? 'offline' : new URL(endpoint.baseUrl).hostname;
}
