/** Opens Redis or PostgreSQL behind BullMQ; the two differ only in how they are connected to. */
import { optionalPackage } from '../../optional-package.ts';
import type { Backend, BackendAddress } from './backend.ts';
import { openRedisBackend } from './redis-backend.ts';

/** The driver of PostgreSQL is a package of those who use it: it is loaded for their addresses alone. */
export async function openBackend(address: BackendAddress, onError: (error: Error) => void): Promise<Backend> {
  if (address.kind === 'redis') return openRedisBackend(address, onError);
  const load = () => import('./postgres-backend.ts');
  const { openPostgresBackend } = await optionalPackage('A queue on PostgreSQL', 'pg@8', load);
  return openPostgresBackend(address, onError);
}
