/**
 * Two versions of Tandem on one queue and one store: side by side, and the upgrade as docs/operations.md has it.
 * Its small sibling in CI: test/slow/golden-runs.test.ts.
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually, makeGround, type Env, type Ground } from '../support/chaos.ts';
import { lastJson, start, useShippedDefaults, type Finished } from '../support/cli.ts';
import { newerProgram, olderProgram } from '../support/other-program.ts';
import { startPostgres, type PostgresServer } from '../support/servers.ts';

const SIZE = { rounds: 1, iterations: 1, samples: 4 };
const WORKER = ['worker', '--profile', 'chaos', '--grace', '0'];

type Program = { start: (args: readonly string[], env: Env) => ReturnType<typeof start>; ask: Ask };
type Ask = (args: readonly string[], env: Env) => Promise<Finished>;

let ground: Ground;
let server: PostgresServer;
let older: Program;
let newer: Program;
let today: Program;
let places = 0;
const children: ReturnType<typeof start>[] = [];

beforeAll(async () => {
  const bins = [resolve('bin/tandem.js'), ...(await Promise.all([olderProgram(), newerProgram()]))];
  [ground, server] = await Promise.all([makeGround(SIZE, []), startPostgres()]);
  const { project } = ground;
  // The older program does not know every setting of today's tests.
  await useShippedDefaults(project);
  const programs = bins.map((bin): Program => {
    const begin: Program['start'] = (args, env) => {
      const child = start({ project, bin }, args, env);
      children.push(child);
      return child;
    };
    return { start: begin, ask: (args, env) => begin(args, env).done };
  });
  [today, older, newer] = programs as [Program, Program, Program];
});
/** Whoever outlives a test that failed would work for its second try. */
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.splice(0).map(({ done }) => done));
});
afterAll(async () => {
  await Promise.all([ground.simulator.stop(), server.stop()]);
  await rm(ground.project, { recursive: true, force: true });
});

/** A space in the queue and in the store that nobody has used yet. */
function place(): Env {
  const space = `versions_${(places += 1)}`;
  const url = `${server.url}?space=${space}`;
  const cache = join(ground.project, `cache-${space}`);
  return { ...ground.simulator.env, TANDEM_QUEUE: url, TANDEM_STORE: url, XDG_CACHE_HOME: cache };
}

async function ended(child: ReturnType<typeof start>): Promise<Finished> {
  child.kill('SIGTERM');
  return child.done;
}

async function expectRight(id: string, env: Env, { ask }: Program): Promise<void> {
  const verified = await ask(['verify', id, '--json'], env);
  expect(lastJson(verified), verified.stderr).toMatchObject({ ok: true });
  expect((await ask(['status', id], env)).stdout).toContain('Target met');
}

test('side by side: what the older has begun and designed, today builds', async () => {
  const env = place();
  const run = ['run', 'chaos-desk', '--id', 'side', '--profile', 'chaos'];
  const workers = [older.start([...WORKER, '--init'], env), today.start([...WORKER, '--execute'], env)];
  const begun = await older.ask([...run, '--on-gate', 'exit'], env);
  expect(begun.code, begun.stderr).toBe(4);
  const resume = ['resume', 'side', '--profile', 'chaos', '--on-gate', 'auto:demo', '--json'];
  const finished = await today.ask(resume, env);
  const said = (await Promise.all(workers.map(ended))).map(({ stderr }) => stderr).join('\n---\n');
  expect(lastJson(finished), `${finished.stderr}\n${said}`).toMatchObject({ status: 'succeeded', iterations: 1 });
  await expectRight('side', env, today);
}, 240_000);

test('side by side: what today has begun ends right, whatever the older worker makes of it', async () => {
  const env = place();
  const workers = [older.start(WORKER, env), today.start(WORKER, env)];
  const run = ['run', 'chaos-desk', '--id', 'side', '--profile', 'chaos', '--on-gate', 'auto:demo', '--json'];
  const finished = await today.ask(run, env);
  const said = (await Promise.all(workers.map(ended))).map(({ stderr }) => stderr).join('\n---\n');
  expect(lastJson(finished), `${finished.stderr}\n${said}`).toMatchObject({ status: 'succeeded', iterations: 1 });
  await expectRight('side', env, today);
}, 240_000);

test('a run that tomorrow begins waits for a worker of tomorrow: those of today say so and give it back', async () => {
  const env = { ...place(), TANDEM_STORE: '' };
  const id = `morrow-${places}`;
  const run = ['run', 'chaos-desk', '--id', id, '--profile', 'chaos', '--on-gate', 'auto:demo', '--json'];
  const [late, running] = [today.start(WORKER, env), newer.start(run, env)];
  const heard = [late, running].map((child) => {
    let text = '';
    child.stderr?.on('data', (part: string) => (text += part));
    return () => text;
  });
  const [worker = () => '', submitter = () => ''] = heard;
  // Only then is there somebody who can do it: whoever waits for the run has to read why nobody does.
  while (
    !worker().includes(`${id} is given back: made by a newer Tandem`) ||
    !submitter().includes(`gave run ${id} back: made by a newer Tandem`)
  ) {
    expect([late.exitCode, running.exitCode], `${worker()}\n---\n${submitter()}`).toEqual([null, null]);
    await delay(50);
  }
  const fitting = newer.start(WORKER, env);
  const finished = await running.done;
  const both = (await Promise.all([late, fitting].map(ended))).map(({ stderr }) => stderr).join('\n---\n');
  expect(lastJson(finished), `${finished.stderr}\n${both}`).toMatchObject({ status: 'succeeded', iterations: 1 });
}, 240_000);

test('an upgrade: refused while older workers are there, then one command, and the older ones write nothing more', async () => {
  const env = place();
  const worker = today.start(WORKER, env);
  const left = ['run', 'chaos-desk', '--id', 'left', '--profile', 'chaos', '--on-gate', 'exit'];
  expect(await today.ask(left, env)).toMatchObject({ code: 4 });

  // The new version touches nothing of an older store, and does not migrate it under a worker.
  const early = await newer.ask(['status', 'left'], env);
  expect(early.code, early.stderr).not.toBe(0);
  expect(early.stderr).toContain('store migrate');
  const refused = await newer.ask(['store', 'migrate'], env);
  expect(refused.code, refused.stderr).toBe(2);
  expect(refused.stderr).toContain('nothing was changed');
  expect((await today.ask(['status', 'left'], env)).code).toBe(0);

  expect((await ended(worker)).code).toBe(143);
  await eventually(async () => {
    const migrated = await newer.ask(['store', 'migrate'], env);
    expect(migrated.code, migrated.stderr).toBe(0);
  });

  // Whoever was left behind is told, and leaves the run as it is.
  for (const args of [
    ['status', 'left'],
    ['gates', 'list'],
    ['resume', 'left', '--profile', 'chaos'],
  ]) {
    const late = await today.ask(args, env);
    expect(late.code, late.stderr).not.toBe(0);
    expect(late.stderr).toContain('made by a newer Tandem');
  }
  const follows = newer.start(WORKER, env);
  const resume = ['resume', 'left', '--profile', 'chaos', '--on-gate', 'auto:demo', '--json'];
  const finished = await newer.ask(resume, env);
  expect(lastJson(finished), `${finished.stderr}\n${(await ended(follows)).stderr}`).toMatchObject({
    status: 'succeeded',
  });
  await ended(follows);
  await expectRight('left', env, newer);
}, 240_000);
