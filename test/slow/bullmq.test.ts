/** The job-queue contract, and what only a shared queue does, on real Redis and on real PostgreSQL. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBullmqQueue, type BullmqQueueOptions, type SharedQueue } from '../../src/adapters/bullmq/bullmq-queue.ts';
import { HarnessError } from '../../src/errors.ts';
import type { Job, JobPriority } from '../../src/ports/job-queue.ts';
import { jobQueueContract } from '../contracts/job-queue.contract.ts';
import { limitsContract } from '../contracts/limits.contract.ts';
import { startPostgres, startRedis, type RedisServer, type Server } from '../support/servers.ts';

const SERVERS = { redis: startRedis, postgres: startPostgres } as const;

const DEFAULTS: Omit<BullmqQueueOptions, 'address'> = {
  lanes: ['init', 'execute'],
  concurrency: { init: 4, execute: 4, samples: 4 },
  tries: 3,
  minDelayMs: 0,
  lockMs: 30_000,
  stalledMs: 30_000,
  mostStarts: 6,
  atOnce: { init: 0, execute: 0, samples: 0 },
  onRetry: () => undefined,
  onGaveUp: async () => undefined,
  onNotice: () => undefined,
};

for (const kind of ['redis', 'postgres'] as const) {
  describe(kind, () => {
    let server: Server;
    let spaces = 0;
    beforeAll(async () => {
      server = await SERVERS[kind]();
    });
    afterAll(() => server.stop());

    const space = (): string => `t${(spaces += 1)}`;
    const open = (name: string, more: Partial<BullmqQueueOptions> = {}): Promise<SharedQueue> =>
      openBullmqQueue({
        ...DEFAULTS,
        address: { kind, url: server.url, shown: server.url, space: name },
        ...more,
      });

    jobQueueContract(kind, () => open(space()));

    limitsContract(
      kind,
      async () => {
        const name = space();
        const processes = await Promise.all([open(name), open(name), open(name)]);
        return {
          doors: processes.map(({ limits }) => limits),
          close: async () => void (await Promise.all(processes.map((queue) => queue.close()))),
        };
      },
      { windowMs: 600, slackMs: 100 },
    );

    test('two processes never handle one run at the same time, and a wake-up in between is not lost', async () => {
      const name = space();
      const both = [await open(name), await open(name)];
      let [now, most, times] = [0, 0, 0];
      const handle = async (): Promise<void> => {
        now += 1;
        times += 1;
        most = Math.max(most, now);
        if (times <= 3) for (const queue of both) await queue.wake({ run: 'a' });
        await delay(20);
        now -= 1;
      };
      for (const queue of both) await queue.work(handle);
      await both[0]?.wake({ run: 'a' });
      await both[0]?.idle();
      expect({ most, times }).toEqual({ most: 1, times: 4 });
      for (const queue of both) await queue.close();
    });

    test('of those that wait the priority decides, then the place; runs that are put back keep theirs', async () => {
      const name = space();
      const queue = await open(name, { concurrency: { init: 1, execute: 1, samples: 1 } });
      const put = (run: string, turn: JobPriority) => queue.wake({ run, turn });
      await put('low', { priority: 'low' });
      await put('third', { place: 200 });
      await put('second', {});
      await put('first', { priority: 'high', place: 300 });
      await put('second', {});
      const taken: string[] = [];
      await queue.work(async ({ run }) => void taken.push(run));
      await queue.idle();
      expect(taken).toEqual(['first', 'second', 'third', 'low']);
      await queue.close();
    });

    test('a worker that is shut down gives its job back, and no try is used up', async () => {
      const name = space();
      const [first, second] = [await open(name, { tries: 1 }), await open(name)];
      const begun = Promise.withResolvers<void>();
      await first.work(async (_job, signal) => {
        begun.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        signal.throwIfAborted();
      });
      await first.wake({ run: 'a' });
      await begun.promise;
      await first.close();
      const taken = Promise.withResolvers<string>();
      await second.work(async ({ run }) => taken.resolve(run));
      expect(await taken.promise).toBe('a');
      await second.idle();
      await second.close();
    });

    test('a worker that takes nothing more ends its steps, and begins none that comes meanwhile in another lane', async () => {
      const name = space();
      const [first, second] = [await open(name), await open(name)];
      const [begun, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const here: string[] = [];
      await first.work(async ({ run }) => {
        here.push(run);
        begun.resolve();
        await free.promise;
      });
      await first.wake({ run: 'a', lane: 'init' });
      await begun.promise;
      const closed = first.close(60_000);
      await second.wake({ run: 'b', lane: 'execute' });
      const taken = Promise.withResolvers<string>();
      await second.work(async ({ run }) => taken.resolve(run));
      expect(await taken.promise).toBe('b');
      free.resolve();
      await closed;
      expect([here, first.signs.tally().get('init')?.failed]).toEqual([['a'], 0]);
      await second.idle();
      await second.close();
    });

    test('a lost lock aborts the handler, and its end is no failure of the run', async () => {
      const name = space();
      const gaveUp: unknown[] = [];
      const queue = await open(name, { lockMs: 1000, onGaveUp: async (_job, error) => void gaveUp.push(error) });
      const lost = Promise.withResolvers<unknown>();
      const begun = Promise.withResolvers<void>();
      await queue.work(async (_job, signal) => {
        begun.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        lost.resolve(signal.reason);
        signal.throwIfAborted();
      });
      await queue.wake({ run: 'a' });
      await begun.promise;
      await forget(server, name);
      expect(await lost.promise).toMatchObject({ code: 'attempt_lost' });
      await queue.close();
      expect(gaveUp).toEqual([]);
    });

    test('a job is started mostStarts times at most, however many tries it has', async () => {
      const name = space();
      const limits = { mostStarts: 2, tries: 9 };
      const gaveUp: string[] = [];
      let starts = 0;
      const queue = await open(name, { ...limits, onGaveUp: async (_job, error) => void gaveUp.push(String(error)) });
      await queue.work(async () => {
        starts += 1;
        throw Object.assign(new Error('529'), { retryable: true });
      });
      await queue.wake({ run: 'a' });
      await expect(queue.idle()).rejects.toThrow('529');
      expect(starts).toBe(2);
      expect(gaveUp).toHaveLength(1);
      await queue.close();
    });

    test('a step that a worker gives back goes to another one, and is on record until it is done', async () => {
      const name = space();
      const [blind, seeing, looking] = [await open(name), await open(name), await open(name, { lanes: [] })];
      let refused = 0;
      await blind.work(async () => {
        refused += 1;
        return { worker: 'blind', why: 'it does not see the folder' };
      });
      await looking.wake({ run: 'a', lane: 'execute' });
      // More often than a job may be started: each time it is given back it is a new one.
      await eventually(() => refused >= 3);
      expect(await looking.handedBack.of('a')).toEqual([{ worker: 'blind', why: 'it does not see the folder' }]);
      await blind.close();
      const done = Promise.withResolvers<string>();
      await seeing.work(async ({ run }) => done.resolve(run));
      expect(await done.promise).toBe('a');
      await seeing.idle();
      await eventually(async () => (await looking.handedBack.of('a')).length === 0);
      for (const queue of [seeing, looking]) await queue.close();
    });

    test('a trial that a worker gives back is played by another one', async () => {
      const name = space();
      const sample = { attempt: 'execute.i1@w', sample: 's', trial: 1 };
      const [blind, seeing] = [await open(name, { lanes: ['samples'] }), await open(name, { lanes: ['samples'] })];
      const refused = Promise.withResolvers<void>();
      await blind.work(async () => {
        refused.resolve();
        return { worker: 'blind', why: 'it does not see the folder' };
      });
      await seeing.trials.put('a', sample);
      await refused.promise;
      const played: Job[] = [];
      await seeing.work(async (job) => void played.push(job));
      await eventually(() => played.length > 0);
      expect(played).toEqual([{ run: 'a', lane: 'samples', trial: sample }]);
      for (const queue of [blind, seeing]) await queue.close();
    });

    test('a provider that asks for a pause gets it from the whole lane', async () => {
      const name = space();
      const queue = await open(name);
      const at: number[] = [];
      await queue.work(async () => {
        at.push(Date.now());
        if (at.length > 1) return;
        throw new HarnessError('model_unavailable', '429', { retryable: true, details: { retryAfterMs: 700 } });
      });
      await queue.wake({ run: 'a' });
      await eventually(() => at.length === 1);
      await queue.wake({ run: 'b' });
      await queue.idle();
      expect(at).toHaveLength(3);
      expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(650);
      await queue.close();
    });

    test('each model has a lane of its own, which a worker serves when it is told of it', async () => {
      const name = space();
      const [producer, worker] = [await open(name, { lanes: [] }), await open(name, { lanes: [] })];
      const seen: Job[] = [];
      const models = ['a.example/claude:opus', 'a.example/claude-opus', 'a.example/claude/opus'];
      await worker.work(async (job) => void seen.push(job));
      for (const model of models) await producer.wake({ run: 'a', lane: 'init', model });
      worker.serve('init', models[1]);
      worker.serve('init', models[1]);
      await eventually(() => seen.length === 1);
      expect(seen).toEqual([{ run: 'a', lane: 'init', model: models[1] }]);
      // Serving begins before others can count who serves.
      await eventually(async () => (await producer.workers([{ lane: 'init', model: models[1] ?? '' }])) === 1);
      for (const model of models) worker.serve('init', model);
      await producer.idle();
      expect(new Set(seen.map(({ model }) => model))).toEqual(new Set(models));
      expect(seen).toHaveLength(models.length);
      for (const queue of [producer, worker]) await queue.close();
    });

    test('a limit of a lane holds over all workers', async () => {
      const name = space();
      const limited = { atOnce: { init: 2, execute: 0, samples: 0 } };
      const both = [await open(name, limited), await open(name, limited)];
      // Who only wakes does not set limits.
      const producer = await open(name, { lanes: [] });
      let [now, most] = [0, 0];
      for (const queue of both) {
        await queue.work(async () => {
          now += 1;
          most = Math.max(most, now);
          await delay(30);
          now -= 1;
        });
      }
      for (const run of ['a', 'b', 'c', 'd', 'e', 'f']) await producer.wake({ run });
      await producer.idle();
      expect(most).toBe(2);
      for (const queue of [...both, producer]) await queue.close();
    });

    test('counts what waits and what was done, and knows how many workers listen', async () => {
      const name = space();
      const [producer, worker] = [await open(name), await open(name)];
      await producer.wake({ run: 'a', lane: 'execute' });
      expect((await producer.signs.counts()).find(({ lane }) => lane === 'execute')).toMatchObject({ waiting: 1 });
      await eventually(async () => (await producer.workers()) === 0);
      await worker.work(async () => undefined);
      await worker.idle();
      await eventually(async () => (await producer.workers()) > 0);
      expect(worker.signs.tally().get('execute')).toEqual({ running: 0, started: 1, done: 1, failed: 0 });
      for (const queue of [producer, worker]) await queue.close();
    });
  });
}

/** What a server that was restarted empty does to a job that runs. */
async function forget(server: Server, space: string): Promise<void> {
  if ('cli' in server) {
    await (server as RedisServer).cli('FLUSHALL');
    return;
  }
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query(`DELETE FROM ${space}.job`);
  await client.end();
}

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries += 1) {
    // A worker on Redis that rests finishes its blocking call first, five seconds.
    if (tries > 600) throw new Error('it did not happen within 30 s');
    await delay(50);
  }
}

test('a server that is away is told of at once, with its address and without its password', async () => {
  const address = {
    kind: 'redis',
    url: 'redis://me:s3cret@127.0.0.1:1',
    shown: 'redis://127.0.0.1:1',
    space: 't',
  } as const;
  const opening = openBullmqQueue({ ...DEFAULTS, address });
  await expect(opening).rejects.toMatchObject({
    code: 'infrastructure',
    retryable: true,
    message: expect.stringMatching(/^The queue redis:\/\/127\.0\.0\.1:1 cannot be reached(?!.*s3cret)/),
  });
});

test('a worker holds at most three connections of PostgreSQL for each lane, and one for what was handed back', async () => {
  const server = await startPostgres();
  try {
    const address = { kind: 'postgres', url: server.url, shown: server.url, space: 'few' } as const;
    const queue = await openBullmqQueue({ ...DEFAULTS, address, lanes: ['init', 'execute', 'samples'] });
    await queue.work(() => delay(5));
    const runs = Array.from({ length: 100 }, (_, index) => `r${index}`);
    await Promise.all(runs.flatMap((run) => [queue.wake({ run }), queue.wake({ run, lane: 'execute' })]));
    await queue.idle();
    const held = await server.query(
      `SELECT count(*)::int AS held FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    await queue.close();
    expect((held[0] as { held: number }).held).toBeLessThanOrEqual(10);
  } finally {
    await server.stop();
  }
});
