/** The queue's dashboard, read-only: what waits, what runs, what failed and why. Runs themselves have pages of their own. */
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { HonoAdapter } from '@bull-board/hono';
import { serveStatic } from '@hono/node-server/serve-static';
import { createPostgresBackend, Queue } from 'bullmq';
import { optionalPackage } from '../../optional-package.ts';
import type { Job } from '../../ports/job-queue.ts';
import type { BackendAddress } from './backend.ts';
import { laneName } from './lanes.ts';
import { createOutageReporter } from './outage-reporter.ts';
import { redisClient, SILENT_MS } from './redis-client.ts';

export type Board = {
  /** The routes to be mounted at the path that the board was opened for; the server decides who may look. */
  routes: ReturnType<HonoAdapter['registerPlugin']>;
  close: () => Promise<void>;
};

const loadClient = () => optionalPackage('A queue on PostgreSQL', 'pg@8', () => import('./reconnecting-client.ts'));

export async function openBoard(
  { kind, url, shown, space }: BackendAddress,
  { basePath, lanes }: { basePath: string; lanes: readonly Pick<Job, 'lane' | 'model'>[] },
  tell: (line: string) => void,
): Promise<Board> {
  const closing = new AbortController();
  const probe = () => Promise.all(queues.map((queue) => queue.getJobCounts()));
  const onError = createOutageReporter({ shown, probe, tell, signal: closing.signal });
  const redis = kind === 'redis' ? redisClient(url, { maxRetriesPerRequest: 1, socketTimeout: SILENT_MS }) : undefined;
  redis?.on('error', onError);
  const Client = kind === 'postgres' ? (await loadClient()).reconnectingClient(onError) : undefined;
  const open = (name: string): Queue => {
    if (redis !== undefined) return new Queue(name, { connection: redis, prefix: space });
    const connection = { connectionString: url, schema: space, migrate: true, max: 1, Client };
    // The board's types know Redis queues only, but it uses nothing that other queues lack.
    return new Queue(name, { connection }, createPostgresBackend) as unknown as Queue;
  };
  const names = lanes.map(({ lane, model }) => laneName(lane ?? 'init', model));
  const queues = [...new Set(names)].map(open);
  for (const queue of queues) queue.on('error', onError);
  const adapter = new HonoAdapter(serveStatic);
  createBullBoard({
    // Every change to a run is an event in its journal, so the board may change nothing.
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Tandem queue' } },
  });
  adapter.setBasePath(basePath);
  return {
    routes: adapter.registerPlugin(),
    close: async () => {
      closing.abort();
      await Promise.allSettled(queues.map((queue) => queue.close()));
      redis?.disconnect();
    },
  };
}
