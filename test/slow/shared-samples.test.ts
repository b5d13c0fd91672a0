/** Samples of one iteration fan out to all workers: the same results as in one process, whoever dies and whatever the queue forgets. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeGround, stateOfRun, type Env, type Ground } from '../support/chaos.ts';
import { lastJson, start, tandem } from '../support/cli.ts';
import { approve, detach, reached } from '../support/left-to-workers.ts';
import { passOn, readAll } from '../support/relay.ts';
import { startPostgres, startRedis, type RedisServer } from '../support/servers.ts';

const SIZE = { rounds: 1, iterations: 1, samples: 24 };
/** Model calls of one run before its samples begin, about. */
const CALLS_BEFORE = 10;
let redis: RedisServer;
let ground: Ground;
let reference: { results: string; calls: number };

beforeAll(async () => {
  redis = await startRedis();
  ground = await makeGround(SIZE, [], 60);
  const alone = await tandem(
    ground.project,
    ['run', 'chaos-desk', '--id', 'alone', '--on-gate', 'auto:demo', '--json'],
    ground.simulator.env,
  );
  expect(lastJson(alone)).toMatchObject({ status: 'succeeded' });
  reference = { results: await resultsOf('alone'), calls: Number(lastJson(alone)['modelCalls']) };
});
afterAll(async () => {
  await ground.simulator.stop();
  await redis.stop();
});

const worker = (env: Env, more: string[] = []) => start(ground.project, ['worker', '--profile', 'chaos', ...more], env);

/** Everything but how long it took; the bytes are those of a run in one process. */
async function resultsOf(id: string): Promise<string> {
  const path = join(ground.project, 'scenarios/chaos-desk/runs', id, 'execution_outputs/iteration_1/results.json');
  return (await readFile(path, 'utf8')).replaceAll(/"durationMs": \d+/g, '"durationMs": 0');
}

async function begin(id: string, env: Env): Promise<void> {
  expect((await detach(ground.project, id, env)).code).toBe(0);
  await approve(ground.project, id, env);
}

/** After the approval, and a good part of the samples' calls. */
function inTheMiddle(before: number): Promise<void> {
  return ground.simulator.untilAnswered(before + middleOfRun());
}

const middleOfRun = (): number => CALLS_BEFORE + Math.ceil((reference.calls - CALLS_BEFORE) / 3);

/** Passes so many calls on to the offline model; it keeps those that come then, until who made them gives them up. */
async function holdCallsAfter(count: number) {
  const [isHeld, isLetGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [seen, held] = [0, 0];
  const server = createServer((incoming, outgoing) => {
    const isCall = incoming.url?.split('?')[0] === '/v1/messages';
    if (isCall) seen += 1;
    if (!isCall || seen <= count) {
      const target = ground.simulator.env['ANTHROPIC_BASE_URL'] ?? '';
      void readAll(incoming).then((text) => passOn(target, incoming, { text, outgoing }));
      return;
    }
    held += 1;
    isHeld.resolve();
    outgoing.once('close', () => {
      held -= 1;
      if (held === 0) isLetGo.resolve();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, isHeld: isHeld.promise, isLetGo: isLetGo.promise, held: () => held, close: () => server.close() };
}

const playedBy = (stderr: string): number => Number(/samples: (\d+) done/.exec(stderr)?.[1] ?? 0);

/** Stops them; each of them has played some. */
async function playedByAll(fleet: readonly ReturnType<typeof worker>[]): Promise<number> {
  for (const one of fleet) one.kill('SIGTERM');
  const played = await Promise.all(fleet.map(async (one) => playedBy((await one.done).stderr)));
  expect(Math.min(...played), String(played)).toBeGreaterThan(0);
  return played.reduce((sum, count) => sum + count, 0);
}

describe('three workers', () => {
  test('share the samples of one run, each plays some, and the results are those of one process (C.2)', async () => {
    const env = { ...ground.simulator.env, TANDEM_QUEUE: `${redis.url}?space=calm` };
    const fleet = [worker(env), worker(env), worker(env)];
    const before = ground.simulator.answered();
    await begin('together', env);
    await reached(ground.project, 'together', 'succeeded');
    expect(await playedByAll(fleet)).toBe(SIZE.samples);
    expect(await resultsOf('together')).toBe(reference.results);
    // Nothing was paid for twice.
    expect(ground.simulator.answered() - before).toBe(reference.calls);
  });

  test('one is killed and the queue forgets all in the middle: nothing is lost, and no sample is judged twice', async () => {
    const env = { ...ground.simulator.env, TANDEM_QUEUE: `${redis.url}?space=rough` };
    const fleet = [worker(env), worker(env), worker(env)];
    const before = ground.simulator.answered();
    await begin('rough', env);
    await inTheMiddle(before);
    fleet[0]?.kill('SIGKILL');
    await redis.cli('FLUSHALL');
    await reached(ground.project, 'rough', 'succeeded');
    for (const one of fleet) one.kill('SIGTERM');
    await Promise.all(fleet.map((one) => one.done));
    expect(await resultsOf('rough')).toBe(reference.results);
    // What was in flight: on three workers with four places each, at two disturbances.
    expect(ground.simulator.answered() - before - reference.calls).toBeLessThanOrEqual(2 * 3 * 4);
  });

  test('a worker for samples alone plays them for one that holds the iteration, and a cancel reaches it', async () => {
    const relay = await holdCallsAfter(middleOfRun());
    const env = { ...ground.simulator.env, ANTHROPIC_BASE_URL: relay.url, TANDEM_QUEUE: `${redis.url}?space=roles` };
    const [holder, helper] = [worker(env, ['--init', '--execute']), worker(env, ['--samples'])];
    await begin('roles', env);
    await relay.isHeld;
    expect((await tandem(ground.project, ['cancel', 'roles'], env)).code).toBe(0);
    // Every call that waits is given up, wherever its trial runs.
    await relay.isLetGo;
    for (const one of [holder, helper]) one.kill('SIGTERM');
    const [held, helped] = await Promise.all([holder.done, helper.done]);
    relay.close();
    expect(relay.held()).toBe(0);
    expect(playedBy(helped.stderr)).toBeGreaterThan(0);
    expect(helped.stderr).not.toMatch(/init:|execute:/);
    expect(held.stderr).toContain('Stopped.');
  });
});

test('a lone worker that is told to stop plays the samples of its iteration to the end, within its grace', async () => {
  const env = { ...ground.simulator.env, TANDEM_QUEUE: `${redis.url}?space=lone` };
  const lone = worker(env, ['--grace', '30']);
  const before = ground.simulator.answered();
  await begin('lone', env);
  await inTheMiddle(before);
  lone.kill('SIGTERM');
  // The wake-up that finds nothing more to do may be the one that is broken off.
  expect((await lone.done).stderr).toMatch(/execute: 1 done, [01] broken off; samples: 24 done, 0 broken off/);
  expect(await stateOfRun(ground.project, 'lone')).toMatchObject({ status: 'succeeded' });
  expect(await resultsOf('lone')).toBe(reference.results);
});

test('PostgreSQL shares samples as Redis does', async () => {
  const postgres = await startPostgres();
  try {
    const env = { ...ground.simulator.env, TANDEM_QUEUE: postgres.url };
    const fleet = [worker(env), worker(env)];
    await begin('on-postgres', env);
    await reached(ground.project, 'on-postgres', 'succeeded');
    await playedByAll(fleet);
    expect(await resultsOf('on-postgres')).toBe(reference.results);
  } finally {
    await postgres.stop();
  }
});
