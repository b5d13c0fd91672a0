/** Rules for request line and headers: key, version and path (docs/internals/api-rules.md §9, 1). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Version } from '../request/submission.ts';
import type { Rules } from '../request/refusal.ts';

export type Head = { method: string; path: string; headers: IncomingHttpHeaders };

export type Route = { to: 'messages' | 'count_tokens' | 'models' } | { to: 'model'; id: string };

const VERSIONS: readonly string[] = ['2023-06-01', '2026-10-21'] satisfies Version[];

export const HTTP_RULES: Rules<Head> = {
  auth: ({ headers }) => {
    const key = headers['x-api-key'];
    const bearer = /^Bearer \S+$/i.test(headers.authorization ?? '');
    if (bearer || (typeof key === 'string' && key.trim() !== '')) return undefined;
    const message = 'x-api-key header is required (or Authorization: Bearer); any word will do here';
    return { status: 401, type: 'authentication_error', message };
  },

  route: (head) => {
    if (findRoute(head) !== undefined) return undefined;
    const message = `${head.method} ${head.path} is not served by the simulator`;
    return { status: 404, type: 'not_found_error', message };
  },

  version: ({ headers }) => {
    const version = headers['anthropic-version'];
    if (version === undefined) return 'anthropic-version: header is required';
    if (VERSIONS.includes(String(version))) return undefined;
    return `anthropic-version: ${String(version)} is not a version; use ${VERSIONS.join(' or ')}`;
  },
};

export function findRoute({ method, path }: Head): Route | undefined {
  if (method === 'POST' && path === '/v1/messages') return { to: 'messages' };
  if (method === 'POST' && path === '/v1/messages/count_tokens') return { to: 'count_tokens' };
  if (method !== 'GET') return undefined;
  if (path === '/v1/models') return { to: 'models' };
  const id = /^\/v1\/models\/([^/]+)$/.exec(path)?.[1];
  return id === undefined ? undefined : { to: 'model', id: decodeId(id) };
}

/** Lenient, unlike decodeURIComponent: a malformed escape is looked up unchanged, and not found. */
function decodeId(id: string): string {
  const query = id.replaceAll('+', '%2B').replaceAll('&', '%26');
  return new URLSearchParams(`id=${query}`).get('id') ?? id;
}

/** Contract: the head has passed `HTTP_RULES`. */
export function readApiVersion({ headers }: Head): Version {
  return headers['anthropic-version'] === '2023-06-01' ? '2023-06-01' : '2026-10-21';
}

export function readBetas({ headers }: Head): Set<string> {
  const listed = [headers['anthropic-beta'] ?? []].flat().flatMap((line) => line.split(','));
  return new Set(listed.map((beta) => beta.trim()).filter((beta) => beta !== ''));
}
