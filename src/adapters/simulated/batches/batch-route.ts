/** The paths of the batch endpoint, and what each is for (docs/api-rules.md §5.2). */

export type BatchRoute =
  | { to: 'batches'; does: 'create' | 'list' }
  | { to: 'batch'; does: 'retrieve' | 'results' | 'cancel' | 'delete'; id: string };

const ALL = '/v1/messages/batches';
const ONE = /^\/v1\/messages\/batches\/([\w-]+)(?:\/(results|cancel))?$/;

export function batchRouteOf({ method, path }: { method: string; path: string }): BatchRoute | undefined {
  if (path === ALL && method === 'POST') return { to: 'batches', does: 'create' };
  if (path === ALL && method === 'GET') return { to: 'batches', does: 'list' };
  const [, id, part] = ONE.exec(path) ?? [];
  if (id === undefined) return undefined;
  if (part === undefined && method === 'GET') return { to: 'batch', does: 'retrieve', id };
  if (part === undefined && method === 'DELETE') return { to: 'batch', does: 'delete', id };
  if (part === 'results' && method === 'GET') return { to: 'batch', does: 'results', id };
  return part === 'cancel' && method === 'POST' ? { to: 'batch', does: 'cancel', id } : undefined;
}
