/** Workers as an operator meets them: roles, shutdown, cancel, health, and a run that is left to them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { processesNaming } from '../adapters/sandbox/attack-ground.ts';
import { eventually, makeGround, portIn, stateOfRun, type Env, type Ground } from '../support/chaos.ts';
import { makeChaosScenario } from '../support/chaos-scenario.ts';
import { lastJson, makeProject, start, tandem } from '../support/cli.ts';
import { approve, detach, reached } from '../support/left-to-workers.ts';
import { scratch } from '../support/scratch.ts';
import { startPostgres, startRedis, type RedisServer } from '../support/servers.ts';

const SIZE = { rounds: 1, iterations: 2, samples: 4 };
let redis: RedisServer;
let ground: Ground;
let env: Env;

beforeAll(async () => {
  redis = await startRedis();
  ground = await makeGround(SIZE, []);
  env = { ...ground.simulator.env, TANDEM_QUEUE: redis.url };
});
afterAll(async () => {
  await ground.simulator.stop();
  await redis.stop();
});

const worker = (more: string[] = [], at: Env = env) =>
  start(ground.project, ['worker', '--profile', 'chaos', ...more], at);

/** Hosts of generated code that work on a run of this project. */
const busyIn = (project: string) => processesNaming(join(project, 'scenarios/chaos-desk/runs')).length;

test('a run that is left to workers is designed by one, built by another, and has its reports at the end', async () => {
  const left = await detach(ground.project, 'roles', env);
  expect(lastJson(left)).toMatchObject({ run: 'roles', status: 'created' });
  expect(left.stderr).toContain('No worker listens');
  const init = worker(['--init']);
  await approve(ground.project, 'roles', env);
  await delay(1_500);
  // No worker here builds.
  expect(await stateOfRun(ground.project, 'roles')).toMatchObject({ status: 'executing', iteration: 1 });
  const execute = worker(['--execute']);
  await reached(ground.project, 'roles', 'succeeded');
  const out = join(ground.project, 'scenarios/chaos-desk/runs/roles/out/summary.md');
  // A report was written when the run came to rest at its gate; the last one says how it ended.
  await eventually(async () => {
    if (!(await readFile(out, 'utf8')).includes('Target met'))
      throw new Error(`${out} does not say yet how the run ended`);
  });
  init.kill('SIGTERM');
  execute.kill('SIGTERM');
  expect((await init.done).stderr).toMatch(/init: [1-9]\d* done, [01] broken off/);
  const { code, stderr } = await execute.done;
  expect(code).toBe(143);
  // The wake-up that finds nothing more to do may be the one that is broken off.
  expect(stderr).toMatch(/execute: [1-9]\d* done, [01] broken off/);
});

test('a worker that is stopped in the middle of a step gives it back at once, and nothing is paid for again', async () => {
  const first = worker(['--grace', '0']);
  await detach(ground.project, 'deploy', env);
  await approve(ground.project, 'deploy', env);
  const before = ground.simulator.answered();
  await eventually(async () => {
    const { iterations } = await stateOfRun(ground.project, 'deploy');
    if (iterations.length === 0 && ground.simulator.answered() < before + 3) throw new Error('not yet in the middle');
  });
  first.kill('SIGTERM');
  await first.done;
  const second = worker();
  const stopped = Date.now();
  const state = await reached(ground.project, 'deploy', 'succeeded');
  expect(state).toMatchObject({ iteration: 2 });
  // Not by the lock that runs out, nor by the stalled check.
  expect(Date.now() - stopped).toBeLessThan(20_000);
  second.kill('SIGTERM');
  await second.done;
});

test('a command that is not detached follows the run, and ends with its exit code', async () => {
  const other = worker();
  const finished = await tandem(
    ground.project,
    ['run', 'chaos-desk', '--id', 'followed', '--profile', 'chaos', '--on-gate', 'auto:demo', '--json'],
    env,
  );
  expect(finished.code, finished.stderr).toBe(0);
  expect(lastJson(finished)).toMatchObject({ status: 'succeeded', iterations: 2 });
  other.kill('SIGTERM');
  await other.done;
});

test('PostgreSQL carries a run as Redis does', async () => {
  const postgres = await startPostgres();
  try {
    const at = { ...env, TANDEM_QUEUE: postgres.url };
    const workers = [worker([], at), worker([], at)];
    expect((await detach(ground.project, 'on-postgres', at)).code).toBe(0);
    await approve(ground.project, 'on-postgres', at);
    await reached(ground.project, 'on-postgres', 'succeeded');
    for (const one of workers) one.kill('SIGTERM');
    for (const one of workers) expect((await one.done).code).toBe(143);
  } finally {
    await postgres.stop();
  }
});

test('health is what the queue answers, and metrics count the steps', async () => {
  const own = await startRedis();
  const portFile = join(ground.project, 'health-port');
  const one = worker(['--port-file', portFile], { ...env, TANDEM_QUEUE: `${own.url}?space=health` });
  try {
    const port = await portIn(portFile);
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect(await (await get('/healthz')).json()).toEqual({ ok: true, faults: [] });
    const metrics = await (await get('/metrics')).text();
    expect(metrics).toContain('tandem_queue_up 1');
    expect(metrics).toContain('tandem_queue_jobs{lane="execute",state="waiting"} 0');
    expect((await get('/other')).status).toBe(404);
    await own.stop('SIGKILL');
    const sick = await get('/healthz');
    expect(sick.status).toBe(503);
    expect(JSON.stringify(await sick.json())).toContain('does not answer');
  } finally {
    one.kill('SIGTERM');
    const { stderr } = await one.done;
    expect(stderr).toContain('Stopped.');
    await own.stop();
  }
});

test('without a shared queue --detach and worker say what to set, and no run is begun', async () => {
  const lonely: Env = ground.simulator.env;
  for (const args of [['run', 'chaos-desk', '--detach', '--id', 'never'], ['worker']]) {
    const { code, stderr } = await tandem(ground.project, args, lonely);
    expect(code).toBe(2);
    expect(stderr).toContain('TANDEM_QUEUE=redis://');
  }
  expect(readdirSync(join(ground.project, 'scenarios/chaos-desk/runs'))).not.toContain('never');
  const { code, stderr } = await tandem(ground.project, ['worker'], {
    ...env,
    TANDEM_QUEUE: 'redis://me:s3cret@127.0.0.1:1',
  });
  expect(code).toBe(6);
  expect(stderr).not.toContain('s3cret');
});

test.each([
  ['a process of its own', "import 'node:crypto';\n", (project: string) => busyIn(project) > 0],
  ['the engine inside of the program', '', (_: string, said: string) => said.includes('components are verified')],
])(
  'a cancel reaches code that spins in %s within two seconds, and no process of it is left',
  async (_, first, spins) => {
    const project = await makeProject();
    await makeChaosScenario(project, SIZE);
    const tool = join(project, 'scenarios/chaos-desk/simulation/files/tools/find_loan.mjs');
    const text = readFileSync(tool, 'utf8').replace('run(input, world) {', 'run(input, world) {\n  for (;;);');
    writeFileSync(tool, `${first}${text}`);
    const run = start(project, ['run', 'chaos-desk', '--id', 'spinning', '--on-gate', 'auto:demo', '--json']);
    let said = '';
    run.stderr?.on('data', (more: string) => (said += more));
    await eventually(async () => {
      if (!spins(project, said)) throw new Error('nothing spins yet');
    });
    const { code } = await tandem(project, ['cancel', 'spinning', '--comment', 'it spins']);
    const cancelled = Date.now();
    expect(code).toBe(0);
    const finished = await run.done;
    expect(Date.now() - cancelled).toBeLessThan(2_000);
    expect(lastJson(finished)).toMatchObject({ status: 'cancelled' });
    expect(finished.code).toBe(3);
    expect(busyIn(project)).toBe(0);
  },
);

test('what a worker that was killed left among the temporary files goes when the next one starts', async () => {
  const TMPDIR = await scratch();
  const at = { ...env, TMPDIR };
  await detach(ground.project, 'killed', env);
  const first = worker([], at);
  const left = async () =>
    (await readdir(TMPDIR)).filter((name) => name.startsWith('tandem-') && name.includes(`-${first.pid}-`));
  await approve(ground.project, 'killed', env);
  // It is killed while it stands still with a folder of its own.
  for (;;) {
    first.kill('SIGSTOP');
    await delay(20);
    if ((await left()).length > 0) break;
    first.kill('SIGCONT');
    await delay(5);
  }
  first.kill('SIGKILL');
  await first.done;
  expect(await left()).not.toEqual([]);
  const next = worker([], at);
  await reached(ground.project, 'killed', 'succeeded');
  expect(await left()).toEqual([]);
  next.kill('SIGTERM');
  expect((await next.done).stderr).toMatch(/Removed \d+ temporary folders? of processes that were killed/);
});
