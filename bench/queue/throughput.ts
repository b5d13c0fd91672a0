/** No-op steps and wake-ups through our queue, against bare BullMQ on the same Redis in the same process. */
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { openBullmqQueue, type SharedQueue } from '../../src/adapters/bullmq/bullmq-queue.ts';
import { startPostgres, startRedis } from '../../test/support/servers.ts';
import { median, row, timed, type Row } from './measure.ts';

const JOBS = 10_000;
const ROUNDS = 7;
const CONCURRENCY = 10;
const WAKES = 100;
const quiet = (): undefined => undefined;

export async function throughput(): Promise<Row[]> {
  const redis = await startRedis();
  const postgres = await startPostgres();
  try {
    const [ours, bare]: [number[], number[]] = [[], []];
    // In turn, so that whatever else the machine does hits both.
    for (let round = 0; round < ROUNDS; round += 1) {
      ours.push(await drainOurs(redis.url, 'redis', `o${round}`));
      bare.push(await drainBare(redis.url, `b${round}`));
    }
    const perSecond = (ms: number): string => `${Math.round((JOBS * 1000) / ms)}/s`;
    // The best of the rounds: what is slower than it was held up by something else on this machine.
    const [best, bestBare] = [Math.min(...ours), Math.min(...bare)];
    const ratio = bestBare / best;
    const onPostgres = await drainOurs(postgres.url, 'postgres', 'o');
    const { oursMs, bareMs } = await wakes(redis.url);
    return [
      row('no-op steps on Redis, bare BullMQ', perSecond(bestBare)),
      row('no-op steps on Redis, ours', `${perSecond(best)}, ${ratio.toFixed(2)} × bare`, '≥ 0.8 × bare', ratio >= 0.8),
      row('no-op steps on PostgreSQL, ours', perSecond(onPostgres)),
      row('wake-up of an idle worker, bare BullMQ', `${bareMs.toFixed(2)} ms`),
      row(
        'wake-up of an idle worker, ours',
        `${oursMs.toFixed(2)} ms, ${(oursMs / bareMs).toFixed(2)} × bare`,
        '≤ 2 × bare',
        oursMs <= 2 * bareMs,
      ),
    ];
  } finally {
    await redis.stop();
    await postgres.stop();
  }
}

function openOurs(url: string, kind: 'redis' | 'postgres', space: string): Promise<SharedQueue> {
  return openBullmqQueue({
    address: { kind, url, shown: url, space },
    lanes: ['init'],
    concurrency: { init: CONCURRENCY, execute: CONCURRENCY, samples: CONCURRENCY },
    tries: 3,
    minDelayMs: 500,
    lockMs: 60_000,
    stalledMs: 15_000,
    mostStarts: 6,
    atOnce: { init: 0, execute: 0, samples: 0 },
    onRetry: quiet,
    onGaveUp: async () => undefined,
    onNotice: quiet,
  });
}

/** Milliseconds from the first taken job to the last one done; adding is not counted. */
async function drainOurs(url: string, kind: 'redis' | 'postgres', space: string): Promise<number> {
  const queue = await openOurs(url, kind, space);
  await Promise.all(Array.from({ length: JOBS }, (_, index) => queue.wake({ run: `r${index}` })));
  const all = countdown(JOBS);
  const ms = await timed(async () => {
    await queue.work(async () => all.one());
    await all.done;
  });
  await queue.close();
  return ms;
}

async function drainBare(url: string, prefix: string): Promise<number> {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue('bare', { connection, prefix });
  await Promise.all(
    Array.from({ length: JOBS }, (_, index) => queue.add('advance', { run: `r${index}` }, { removeOnComplete: true })),
  );
  const all = countdown(JOBS);
  let worker: Worker | undefined;
  const ms = await timed(async () => {
    worker = new Worker('bare', async () => all.one(), { connection, prefix, concurrency: CONCURRENCY });
    await all.done;
  });
  await worker?.close();
  await queue.close();
  connection.disconnect();
  return ms;
}

/** Medians from asking to being handled: one at a time, in turn, with a pause so that both workers are idle. */
async function wakes(url: string): Promise<{ oursMs: number; bareMs: number }> {
  const handled: { ours: () => void; bare: () => void } = { ours: quiet, bare: quiet };
  const ours = await openOurs(url, 'redis', 'wake');
  await ours.work(async () => handled.ours());
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue('wake', { connection, prefix: 'bare' });
  const worker = new Worker('wake', async () => handled.bare(), { connection, prefix: 'bare' });
  const wake = {
    ours: (run: string) => ours.wake({ run }),
    bare: (run: string) => queue.add('advance', { run }, { removeOnComplete: true }),
  };
  const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  for (let index = 0; index < WAKES; index += 1) {
    for (const which of ['ours', 'bare'] as const) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      const taken = Promise.withResolvers<void>();
      handled[which] = taken.resolve;
      times[which].push(await timed(async () => Promise.all([wake[which](`w${index}`), taken.promise])));
    }
  }
  await ours.close();
  await worker.close();
  await queue.close();
  connection.disconnect();
  return { oursMs: median(times.ours), bareMs: median(times.bare) };
}

function countdown(from: number): { one: () => void; done: Promise<void> } {
  const end = Promise.withResolvers<void>();
  let left = from;
  return {
    one: () => {
      left -= 1;
      if (left === 0) end.resolve();
    },
    done: end.promise,
  };
}
