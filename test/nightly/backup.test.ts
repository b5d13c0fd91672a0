/**
 * The commands of docs/operations.md under "Back up and restore", pasted while workers work: what was saved goes on elsewhere.
 * Its small sibling in CI: test/slow/store-copies.test.ts.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually, makeGround, stateOfRun, type Env, type Ground } from '../support/chaos.ts';
import { lastJson, start, tandem } from '../support/cli.ts';
import { expectWhole } from '../support/expect-whole.ts';
import { approve, detach, reached } from '../support/left-to-workers.ts';
import { PG_BIN, startPostgres, startRedis, type Server } from '../support/servers.ts';

const SIZE = { rounds: 1, iterations: 2, samples: 3 };
const BLOCK = /^ *```sh needs-run\n([\s\S]*?)^ *```$/gm;

let calm: Ground;
let env: Env;
const made: Ground[] = [];
const workers: ReturnType<typeof start>[] = [];

beforeAll(async () => {
  calm = await ground();
  env = calm.simulator.env;
  const args = ['run', 'chaos-desk', '--on-gate', 'auto:demo', '--id', 'calm', '--json', '--profile', 'chaos'];
  expect(lastJson(await tandem(calm.project, args, env))).toMatchObject({ status: 'succeeded' });
}, 120_000);
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map((worker) => worker.done));
  for (const { simulator, project } of made) {
    await simulator.stop();
    await rm(project, { recursive: true, force: true });
  }
});

async function ground(): Promise<Ground> {
  const one = await makeGround(SIZE, [], 20);
  made.push(one);
  return one;
}

/** Below a heading of a page, in order. */
async function blocksUnder(page: string, heading: string): Promise<string[]> {
  const part = (await readFile(page, 'utf8')).split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...part.matchAll(BLOCK)].map(([, script = '']) => script);
}

/** `tar` and `pg_dump` as an operator has them. What `tar` says of files that went while it read is what the page names. */
function paste(script: string, cwd: string, more: Env = {}): Promise<void> {
  const PATH = `${process.env['PATH'] ?? ''}${delimiter}${PG_BIN}`;
  return new Promise((settle, reject) => {
    execFile('bash', ['--norc', '-c', script], { cwd, env: { PATH, ...more } }, (error, _, stderr) => {
      const said = stderr
        .split('\n')
        .filter((line) => !/^$|changed as we read it|removed before we read it/.test(line));
      if (said.length > 0 || (error !== null && stderr === '')) reject(new Error(`${script}\n${stderr}`));
      else settle();
    });
  });
}

function work(project: string, at: Env): void {
  workers.push(start(project, ['worker', '--profile', 'chaos', '--grace', '1'], { ...env, ...at }));
}

async function killWorkers(): Promise<void> {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.splice(0).map((worker) => worker.done));
}

type Stoppable = Pick<Server, 'url'> & { stop: () => Promise<void> };
const SERVERS: Record<string, () => Promise<Stoppable>> = { redis: startRedis, postgres: startPostgres };

/** It may be lost before the test ends. */
async function serve(kind: string): Promise<Stoppable> {
  const server = await (SERVERS[kind] ?? startPostgres)();
  onTestFinished(async () => {
    await killWorkers();
    await server.stop();
  });
  return server;
}

test.each(Object.keys(SERVERS))(
  'folders with a queue in %s: machine and queue are lost in the middle, and the backup goes on elsewhere',
  async (kind) => {
    const queue = await serve(kind);
    const lost = await ground();
    const at = { ...env, TANDEM_QUEUE: queue.url };
    work(lost.project, at);
    work(lost.project, at);
    for (const id of ['a', 'b']) expect((await detach(lost.project, id, at)).code).toBe(0);
    await approve(lost.project, 'a', at);
    await reached(lost.project, 'b', 'awaiting_approval');
    while ((await stateOfRun(lost.project, 'a')).iterations.length === 0) await delay(100);
    const [save = '', restore = ''] = await blocksUnder('docs/operations.md', 'Back up and restore');
    await paste(save, lost.project);
    await killWorkers();
    await queue.stop();
    await rename(lost.project, `${lost.project}-lost`);

    await mkdir(lost.project);
    for (const name of ['backup-1.tar', 'backup-2.tar'])
      await rename(join(`${lost.project}-lost`, name), join(lost.project, name));
    await rm(`${lost.project}-lost`, { recursive: true, maxRetries: 5 });
    await paste(restore, lost.project);
    const again = { ...env, TANDEM_QUEUE: (await serve(kind)).url };
    for (const id of ['a', 'b']) {
      const verified = await tandem(lost.project, ['verify', id], again);
      expect(verified.code, verified.stdout).toBe(0);
    }
    work(lost.project, again);
    work(lost.project, again);
    await approve(lost.project, 'b', again);
    for (const id of ['a', 'b']) {
      await reached(lost.project, id, 'succeeded');
      await expectWhole(lost.project, id, calm.project);
    }
  },
);

test('runs in PostgreSQL: the server is lost in the middle, and its dump goes on in another', async () => {
  const lost = await serve('postgres');
  const { project } = await ground();
  const at = { ...env, TANDEM_QUEUE: `${lost.url}?space=queue`, TANDEM_STORE: lost.url };
  const state = async (id: string, where: Env) =>
    lastJson(await tandem(project, ['status', id, '--json'], where)) as { status: string; iterations: number };
  const until = (id: string, where: Env, holds: (seen: { status: string; iterations: number }) => boolean) =>
    eventually(async () => expect(await state(id, where)).toSatisfy(holds));
  const decide = async (id: string, where: Env): Promise<void> => {
    const { stdout } = await tandem(project, ['gates', 'list', '--json'], where);
    const gates = JSON.parse(stdout) as { run: string; digest: string }[];
    const digest = gates.find(({ run }) => run === id)?.digest ?? '';
    const done = await tandem(project, ['gates', 'approve', id, '--digest', digest, '--accept'], where);
    expect(done.code, done.stderr).toBe(0);
  };
  work(project, at);
  for (const id of ['a', 'b']) expect((await detach(project, id, at)).code).toBe(0);
  for (const id of ['a', 'b']) await until(id, at, ({ status }) => status === 'awaiting_approval');
  await decide('a', at);
  await until('a', at, ({ iterations }) => iterations > 0);
  const [save = '', restore = ''] = await blocksUnder('docs/operations.md', 'Back up a store');
  await paste(save, project, { TANDEM_STORE: lost.url });
  await killWorkers();
  await lost.stop();

  const other = await serve('postgres');
  const again = { ...env, TANDEM_QUEUE: `${other.url}?space=queue`, TANDEM_STORE: other.url };
  await paste(restore, project, { TANDEM_STORE: other.url });
  for (const id of ['a', 'b']) expect((await tandem(project, ['verify', id], again)).code).toBe(0);
  work(project, again);
  await decide('b', again);
  for (const id of ['a', 'b']) {
    await until(id, again, ({ status }) => status === 'succeeded');
    const verified = await tandem(project, ['verify', id], again);
    expect(verified.code, verified.stdout).toBe(0);
    const shown = lastJson(await tandem(project, ['status', id, '--json'], again));
    expect(shown).toMatchObject({ status: 'succeeded', iterations: SIZE.iterations });
  }
});
