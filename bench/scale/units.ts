/** Unit costs of a fleet on a server: connections of one worker, a wake-up that changes nothing, a job that waits. In processor time. */
import { openBullmqQueue, type SharedQueue } from '../../src/adapters/bullmq/bullmq-queue.ts';
import { eventually, portIn } from '../../test/support/chaos.ts';
import { makeProject, start } from '../../test/support/cli.ts';
import { startPostgres, startRedis } from '../../test/support/servers.ts';
import { processorMs, statOf } from '../queue/samples.ts';
import { join } from 'node:path';

const WAKES = 3000;
const RUNS = 300;

export type Units = {
  /** Connections that one worker of all lanes holds while it waits. */
  connections: number;
  /** Processor milliseconds of the server for a wake-up of a run that waits already. */
  wakeMs: number;
  /** Bytes of the server for a run that waits. */
  waitingBytes: number;
};

type Kind = 'redis' | 'postgres';

export async function unitsOf(kind: Kind): Promise<Units> {
  const redis = kind === 'redis' ? await startRedis() : undefined;
  const postgres = kind === 'postgres' ? await startPostgres() : undefined;
  const url = redis?.url ?? postgres?.url ?? '';
  const count = async (query: string): Promise<number> =>
    Number((Object.values((await postgres?.query(query))?.[0] ?? {}) as string[])[0]);
  const info = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec((await redis?.cli('INFO')) ?? '')?.[1]);
  const main = postgres === undefined ? 0 : statOf(await count('SELECT pg_backend_pid()')).parent;
  const connections = async (): Promise<number> =>
    redis === undefined
      ? count(`SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
      : (await info('connected_clients')) - 1;
  const spent = async (): Promise<number> =>
    redis === undefined ? processorMs(main) : 1000 * ((await info('used_cpu_user')) + (await info('used_cpu_sys')));
  const bytes = async (): Promise<number> =>
    redis === undefined
      ? count(
          `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'units'`,
        )
      : info('used_memory');
  try {
    const queue = await openQueue(kind, url);
    for (let run = 0; run < RUNS; run += 1) await queue.wake({ run: `warm-${run}`, lane: 'execute' });
    const empty = await bytes();
    for (let run = 0; run < RUNS; run += 1) await queue.wake({ run: `run-${run}`, lane: 'execute' });
    const waitingBytes = ((await bytes()) - empty) / RUNS;
    const before = await spent();
    for (let wake = 0; wake < WAKES; wake += 1) await queue.wake({ run: `run-${wake % RUNS}`, lane: 'execute' });
    const wakeMs = ((await spent()) - before) / WAKES;
    await queue.close();
    return { connections: await connectionsOf(url, connections), wakeMs, waitingBytes };
  } finally {
    await redis?.stop();
    await postgres?.stop();
  }
}

async function connectionsOf(url: string, connections: () => Promise<number>): Promise<number> {
  const project = await makeProject('refund-desk');
  const portFile = join(project, 'port');
  const before = await connections();
  const worker = start(project, ['worker', '--profile', 'demo', '--port-file', portFile], { TANDEM_QUEUE: url });
  await portIn(portFile);
  let last = -1;
  const found = await eventually(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const now = await connections();
    const isSteady = now === last;
    last = now;
    if (!isSteady) throw new Error('connections still change');
    return now - before;
  });
  worker.kill('SIGTERM');
  await worker.done;
  return found;
}

function openQueue(kind: Kind, url: string): Promise<SharedQueue> {
  return openBullmqQueue({
    address: { kind, url, shown: url, space: 'units' },
    lanes: [],
    concurrency: { init: 1, execute: 1, samples: 1 },
    ...{ tries: 3, minDelayMs: 500, lockMs: 60_000, stalledMs: 15_000, mostStarts: 6 },
    atOnce: { init: 0, execute: 0, samples: 0 },
    onRetry: () => undefined,
    onGaveUp: async () => undefined,
    onNotice: () => undefined,
  });
}
