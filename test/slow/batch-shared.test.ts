/** A batch over a queue that two workers share: its own process may die, and what it began goes on. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFileSpending } from '../../src/adapters/files/file-spending.ts';
import { verifyRun } from '../../src/pipeline/control/verify.ts';
import { eventually, makeGround, stateOfRun, storeOf, type Env, type Ground } from '../support/chaos.ts';
import { lastJson, start, tandem } from '../support/cli.ts';
import { startRedis, type RedisServer } from '../support/servers.ts';

const SIZE = { rounds: 1, iterations: 2, samples: 4 };
const RUNS = ['nightly-001', 'nightly-002', 'nightly-003'];
let redis: RedisServer;
let ground: Ground;
let env: Env;
let workers: ReturnType<typeof start>[];

beforeAll(async () => {
  redis = await startRedis();
  ground = await makeGround(SIZE, []);
  env = { ...ground.simulator.env, TANDEM_QUEUE: redis.url };
  const begin = () =>
    start(ground.project, ['worker', '--profile', 'chaos', '--concurrency', '2', '--grace', '1'], env);
  workers = [begin(), begin()];
});
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGTERM');
  await Promise.all(workers.map((worker) => worker.done));
  await ground.simulator.stop();
  await redis.stop();
});

const batch = (...args: string[]) => tandem(ground.project, ['batch', ...args, '--json'], env);

async function begunRuns(): Promise<string[]> {
  const names = await readdir(join(ground.project, 'scenarios/chaos-desk/runs')).catch(() => []);
  return names.filter((name) => name.startsWith('nightly-')).toSorted();
}

test('killed in the middle it goes on by --resume: no run is begun twice, none is lost, all end', async () => {
  const args = ['batch', 'chaos-desk', '--runs', '3', '--max-parallel', '2', '--id', 'nightly', '--profile', 'chaos'];
  const first = start(ground.project, [...args, '--on-gate', 'wait', '--json'], env);
  await eventually(async () => {
    const states = await Promise.all((await begunRuns()).map((id) => stateOfRun(ground.project, id)));
    if (!states.some(({ status }) => status === 'awaiting_approval')) throw new Error('no run is at its gate yet');
  });
  first.kill('SIGKILL');
  await first.done;
  const refused = await tandem(ground.project, [...args, '--json'], env);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('tandem batch --resume nightly');

  // Nobody drives the batch now, and a person answers: the workers go on with that run.
  const waiting = await eventually(async () => {
    const state = await stateOfRun(ground.project, 'nightly-001');
    if (state.status !== 'awaiting_approval') throw new Error(state.status);
    return state.gate;
  });
  await tandem(ground.project, ['gates', 'approve', 'nightly-001', '--digest', waiting.digest, '--accept'], env);
  await eventually(async () => {
    const { status } = await stateOfRun(ground.project, 'nightly-001');
    if (status !== 'succeeded') throw new Error(status);
  });

  // Not a cent more than was spent by now: a cap that comes later counts what was spent before it.
  const small = await batch('--resume', 'nightly', '--budget', '0.01', '--on-gate', 'auto:demo');
  expect(small.code, small.stderr).toBe(5);
  const finished = await batch('--resume', 'nightly', '--budget', '50', '--on-gate', 'auto:demo');
  expect(finished.code, finished.stderr).toBe(0);
  expect(await begunRuns()).toEqual(RUNS);
  const rows = lastJson(finished)['rows'] as { run: string; status: string }[];
  expect(rows.map(({ run, status }) => [run, status])).toEqual(RUNS.map((run) => [run, 'succeeded']));

  const shared = await openFileSpending(join(ground.project, 'batches/nightly')).list();
  let calls = 0;
  for (const id of RUNS) {
    const run = await storeOf(ground.project).open(id);
    const events = await run.journal.read();
    expect(events.filter(({ body }) => body.type === 'run.created')).toHaveLength(1);
    expect(events.filter(({ body }) => body.type === 'iteration.done')).toHaveLength(2);
    expect((await verifyRun(run)).filter(({ ok }) => !ok)).toEqual([]);
    const own = await run.spending.list();
    calls += own.length;
    for (const { call, usd } of own) {
      expect(shared.find((record) => record.call === `${id}/${call}`)?.usd, call).toBe(usd);
    }
  }
  expect(shared).toHaveLength(calls);
});

test('workers remind and expire gates, though nobody serves the page; the run keeps its models and says so', async () => {
  await mkdir(join(ground.project, 'config/profiles'), { recursive: true });
  await writeFile(
    join(ground.project, 'config/profiles/other.yaml'),
    'version: 1\nagents: { init: { keep_steps: 9 } }\n',
  );
  await writeFile(
    join(ground.project, 'config/reviewers.yaml'),
    'version: 1\nremind_after_hours: [0.0001]\nexpire_after_hours: 0.0006\n',
  );
  const keeper = start(ground.project, ['worker', '--profile', 'chaos'], env);
  const left = ['run', 'chaos-desk', '--detach', '--id', 'alone', '--profile', 'other', '--json'];
  expect((await tandem(ground.project, left, env)).code).toBe(0);
  for (;;) {
    const { status } = await stateOfRun(ground.project, 'alone');
    if (status === 'expired') break;
    if (!['created', 'designing', 'awaiting_approval'].includes(status)) throw new Error(status);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const events = await (await storeOf(ground.project).open('alone')).journal.read();
  expect(events.filter(({ body }) => body.type === 'gate.expired')).toHaveLength(1);
  keeper.kill('SIGTERM');
  const said = (await keeper.done).stderr;
  for (const worker of workers) worker.kill('SIGTERM');
  const others = await Promise.all(workers.map(async (worker) => (await worker.done).stderr));
  const all = [said, ...others].join('\n');
  expect(all).toContain('goes on with what it was begun with: init.keep_steps 9 (here: as shipped)');
  expect(all).toMatch(/alone HITL-1\.r1 expire/);
});
