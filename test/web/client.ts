/** A browser without scripts: it keeps its cookie, reads forms, and sends them as they stand. */
import type { Review } from '../../src/web/create-review.ts';
import { HOST, TOKEN } from './desk.ts';

export type Page = { status: number; text: string; headers: Headers };
export type Client = {
  get: (path: string, headers?: Record<string, string>) => Promise<Page>;
  /** Where the address leads in the end: one with a slash at its end is sent on. */
  reach: (path: string) => Promise<Page>;
  /** Sends the form of that page with these fields over its own. */
  send: (
    path: string,
    fields: Record<string, string | readonly string[]>,
    more?: { headers?: Record<string, string>; from?: string },
  ) => Promise<Page>;
  api: (
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; json: Record<string, unknown> }>;
  /** A body as it is, with a bearer token. */
  post: (path: string, body: string, type: string) => Promise<Page>;
  cookie: () => string;
};

export const bearer = (token = TOKEN): Record<string, string> => ({ authorization: `Bearer ${token}` });

export function stranger({ app }: Review, address = '127.0.0.1'): Client {
  let cookie = '';
  const env = { incoming: { socket: { remoteAddress: address } } };
  const ask = async (path: string, init: RequestInit = {}): Promise<Page> => {
    const headers = { host: HOST, ...(cookie === '' ? {} : { cookie }), ...(init.headers as Record<string, string>) };
    const response = await app.request(`http://${HOST}${path}`, { ...init, headers }, env);
    const set = response.headers.get('set-cookie');
    if (set !== null) cookie = /Max-Age=0/.test(set) ? '' : (set.split(';')[0] ?? '');
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  return {
    cookie: () => cookie,
    post: (path, body, type) => ask(path, { method: 'POST', body, headers: { 'content-type': type, ...bearer() } }),
    get: (path, headers = {}) => ask(path, { headers }),
    reach: async (path) => {
      const page = await ask(path);
      return page.status === 308 ? ask(page.headers.get('location') ?? '') : page;
    },
    send: async (path, fields, { headers = {}, from = path } = {}) => {
      const page = await ask(from);
      const form = new URLSearchParams();
      for (const [, name = '', value = ''] of page.text.matchAll(
        /<input type="hidden" name="([^"]+)" value="([^"]*)"/g,
      )) {
        // The first form of a page is the one that signs out.
        form.set(name, value);
      }
      for (const [name, value] of Object.entries(fields)) {
        form.delete(name);
        for (const one of typeof value === 'string' ? [value] : value) form.append(name, one);
      }
      const type = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
      return ask(path, { method: 'POST', body: form.toString(), headers: { ...type, ...headers } });
    },
    api: async (path, body, headers = bearer()) => {
      const init =
        body === undefined
          ? { headers }
          : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
      const { status, text } = await ask(path, init);
      return { status, json: JSON.parse(text) as Record<string, unknown> };
    },
  };
}

export async function signedIn(review: Review, token = TOKEN): Promise<Client> {
  const client = stranger(review);
  const page = await client.get(`/sign-in?token=${encodeURIComponent(token)}`);
  if (page.status !== 200) throw new Error(`signing in: ${page.status} ${page.text}`);
  return client;
}
