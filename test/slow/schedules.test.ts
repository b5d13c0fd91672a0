/** `tandem batch --cron` on both queues: begun by workers at its times, once each, whoever dies, whatever the queue forgets or misses. */
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, makeGround, type Env, type Ground } from '../support/chaos.ts';
import { start, tandem } from '../support/cli.ts';
import { startPostgres, startRedis } from '../support/servers.ts';

const EVERY_FIVE = '*/5 * * * * *';
let ground: Ground;
beforeAll(async () => {
  ground = await makeGround({ rounds: 1, iterations: 1, samples: 3 }, []);
});
afterAll(() => ground.simulator.stop());

/** Of the batches of a schedule. */
async function begun(id: string): Promise<string[]> {
  const names = await readdir(join(ground.project, 'batches')).catch(() => []);
  return names.filter((name) => name.startsWith(`${id}-`) && name.endsWith('.json')).toSorted();
}

const batch = (env: Env, ...more: string[]) =>
  tandem(ground.project, ['batch', 'chaos-desk', '--profile', 'chaos', '--on-gate', 'exit', ...more], env);

type Listed = { schedule: string; cron: string; timeZone: string; next: string | null; args: string[] };
async function listed(env: Env): Promise<Listed[]> {
  const { stdout, code, stderr } = await tandem(ground.project, ['queue', 'schedules', '--json'], env);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Listed[];
}

/** A batch that a killed worker has begun waits for workers that do not come any more. */
function killNaming(word: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

async function untilBegun(id: string, more: number): Promise<void> {
  const before = (await begun(id)).length;
  await eventually(() =>
    eventually(async () => expect((await begun(id)).length).toBeGreaterThanOrEqual(before + more)),
  );
}

test('without a queue, or with times that are none, nothing is scheduled', async () => {
  const alone = await batch({}, '--cron', EVERY_FIVE);
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--cron needs a queue that workers share')]);
  expect((await batch({}, '--time-zone', 'UTC')).stderr).toContain('--cron <pattern>: give both');
  const both = await batch({}, '--cron', EVERY_FIVE, '--resume', 'nightly');
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--resume is for one batch')]);
});

describe.each(['redis', 'postgres'])('%s', (kind) => {
  test('two who submit it make one schedule, it outlives workers and a queue that forgets, and it is taken away', async () => {
    const redis = kind === 'redis' ? await startRedis() : undefined;
    const server = redis ?? (await startPostgres());
    const env = { ...ground.simulator.env, TANDEM_QUEUE: server.url };
    const worker = () => start(ground.project, ['worker', '--profile', 'chaos', '--grace', '1'], env);
    const workers: ReturnType<typeof worker>[] = [];
    const [id, one] = [
      `nightly-${kind}`,
      ['--cron', EVERY_FIVE, '--time-zone', 'Europe/Berlin', '--overlap', 'allow', '--runs', '1'],
    ];
    try {
      const wrong = await batch(env, '--cron', '61 * * * *', '--id', id);
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/names no times: .*such as "0 2/)]);
      const mars = await batch(env, '--cron', EVERY_FIVE, '--time-zone', 'Mars/Olympus', '--id', id);
      expect([mars.code, mars.stderr]).toEqual([2, expect.stringContaining('Mars/Olympus is no time zone')]);
      expect(await listed(env)).toEqual([]);

      const [first, second] = await Promise.all([batch(env, ...one, '--id', id), batch(env, ...one, '--id', id)]);
      expect([first.code, second.code], first.stderr + second.stderr).toEqual([0, 0]);
      expect(first.stdout).toContain(`"${EVERY_FIVE}" in Europe/Berlin`);
      const other = await batch(env, '--cron', '0 2 * * *', '--id', id);
      expect([other.code, other.stderr]).toEqual([2, expect.stringContaining(`tandem queue unschedule ${id}`)]);
      const [only, ...more] = await listed(env);
      expect([only, more]).toMatchObject([{ schedule: id, cron: EVERY_FIVE, timeZone: 'Europe/Berlin' }, []]);
      expect(only?.args).toEqual(['chaos-desk', '--profile', 'chaos', '--on-gate', 'exit', '--runs', '1']);

      workers.push(worker(), worker());
      await untilBegun(id, 1);
      for (const killed of workers.splice(0)) killed.kill('SIGKILL');
      await redis?.cli('FLUSHALL');
      workers.push(worker(), worker());
      await untilBegun(id, 1);
      expect(await listed(env)).toHaveLength(1);

      const away = await tandem(ground.project, ['queue', 'unschedule', id], env);
      expect(away.code, away.stderr).toBe(0);
      expect(await listed(env)).toEqual([]);
      expect((await tandem(ground.project, ['queue', 'unschedule', id], env)).code).toBe(2);
      // Each time is one batch, with one run of its own.
      const batches = await begun(id);
      const runs = await readdir(join(ground.project, 'scenarios/chaos-desk/runs'));
      const own = runs.filter((name) => name.startsWith(`${id}-`)).toSorted();
      expect(new Set(batches.map((name) => name.replace('.json', '-001')))).toEqual(
        new Set([...own, ...batches.map((name) => name.replace('.json', '-001'))]),
      );
      expect(batches.every((name) => /-\d{8}-\d{4}[0-5][05]\.json$/.test(name))).toBe(true);
    } finally {
      for (const one of workers) one.kill('SIGTERM');
      await Promise.all(workers.map((one) => one.done));
      // Of the workers that were killed.
      killNaming(`${id}-20`);
      await server.stop();
    }
  });
});

test('times at which the queue is away are begun when it is back: none is missing and none is there twice', async () => {
  const redis = await startRedis();
  const env = { ...ground.simulator.env, TANDEM_QUEUE: redis.url };
  const id = 'outage';
  const worker = start(ground.project, ['worker', '--profile', 'chaos', '--grace', '1'], env);
  try {
    const made = await batch(env, '--cron', EVERY_FIVE, '--overlap', 'allow', '--runs', '1', '--id', id);
    expect(made.code, made.stderr).toBe(0);
    await untilBegun(id, 1);
    await redis.stop('SIGTERM');
    await untilBegun(id, 2);
    await redis.start();
    await untilBegun(id, 1);
    expect((await tandem(ground.project, ['queue', 'schedule', id, '--pause'], env)).code).toBe(0);
    const times = (await begun(id)).map((name) => toTime(name));
    const [first = 0] = times;
    expect(times).toEqual(times.map((_, index) => first + index * 5_000));
    await eventually(() =>
      eventually(async () => {
        const runs = await readdir(join(ground.project, 'scenarios/chaos-desk/runs'));
        expect(runs.filter((name) => name.startsWith(`${id}-`))).toHaveLength(times.length);
      }),
    );
  } finally {
    worker.kill('SIGTERM');
    await worker.done;
    killNaming(`${id}-20`);
    await redis.stop();
  }
});

/** The time in the name of a batch. */
function toTime(name: string): number {
  const [, day = '', time = ''] = /-(\d{8})-(\d{6})\.json$/.exec(name) ?? [];
  const date = day.replace(/(....)(..)(..)/, '$1-$2-$3');
  return Date.parse(`${date}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`);
}
