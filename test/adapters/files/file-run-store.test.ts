import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import { runStoreContract } from '../../contracts/run-store.contract.ts';
import { created } from '../../support/run-events.ts';
import { scratch, tickingClock } from '../../support/scratch.ts';

async function opened() {
  const root = await scratch();
  const clock = tickingClock();
  const scenarioDir = join(root, 'refund-desk');
  await mkdir(scenarioDir);
  const another = () => openFileRunStore({ roots: [root], clock, worker: 'w' });
  return { root, scenarioDir, store: another(), another };
}

runStoreContract('files', opened);

async function run(id = 'run-1'): Promise<RunFolder & { root: string }> {
  const { root, store, scenarioDir } = await opened();
  const folder = await store.create(scenarioDir, id);
  await folder.journal.append(created().body, 'user:ada', 0);
  return { ...folder, root };
}

test('a copy of a source is read in the encoding that its user saved it in; all else is UTF-8', async () => {
  const folder = await run();
  const texts = {
    utf16: Buffer.from('\uFEFFGröße', 'utf16le'),
    utf8: '\uFEFFGröße',
    odd: Buffer.from([0x47, 0xff, 0x0a]),
  };
  for (const [name, content] of Object.entries(texts)) await folder.write(`scenario/${name}`, content);
  const read = await Promise.all(Object.keys(texts).map((name) => folder.read(`scenario/${name}`)));
  expect(read).toEqual(['Größe', '\uFEFFGröße', 'G\uFFFD\n']);
});

describe('finding runs', () => {
  test('a run folder that was copied elsewhere opens by its path, relative or absolute', async () => {
    const { dir, root } = await run();
    const copy = join(root, 'elsewhere-1');
    await cp(dir, copy, { recursive: true });
    const store = openFileRunStore({ roots: [], clock: tickingClock(), worker: 'w' });
    for (const path of [copy, relative(process.cwd(), copy), `${copy}/`]) {
      const folder = await store.open(path);
      expect(folder).toMatchObject({ id: 'elsewhere-1', scenario: 'refund-desk', dir: copy });
      expect(await folder.journal.read()).toHaveLength(1);
    }
  });

  test('a run outside of the roots is found by the store that created it', async () => {
    const { store } = await opened();
    const outside = join(await scratch(), 'mine');
    await mkdir(outside);
    await store.create(outside, 'run-9');
    expect((await store.open('run-9')).scenario).toBe('mine');
  });

  test('a folder without a first event is no run yet, and is not listed', async () => {
    const { store, scenarioDir } = await opened();
    await store.create(scenarioDir, 'empty');
    expect(await store.list()).toEqual([]);
    expect(await (await store.open('empty')).journal.read()).toEqual([]);
  });

  test('one broken run does not hide the others', async () => {
    const { store, scenarioDir } = await opened();
    for (const id of ['a', 'b'])
      await (await store.create(scenarioDir, id)).journal.append(created().body, 'user:ada', 0);
    await writeFile(join(scenarioDir, 'runs/a/events/000000.json'), '{"half');
    expect((await store.list()).map(({ id }) => id)).toEqual(['b']);
  });

  test('a folder that is no run folder is told so', async () => {
    const { store, root } = await opened();
    await mkdir(join(root, 'plain'));
    await writeFile(join(root, 'file'), '');
    for (const path of ['plain', 'file', 'file/below', 'gone']) {
      await expect(store.open(join(root, path))).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('a scenario name in a foreign journal is not trusted with a path', async () => {
    const { dir } = await run();
    const path = join(dir, 'events/000000.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"refund-desk"', '"../../../etc"'));
    const store = openFileRunStore({ roots: [], clock: tickingClock(), worker: 'w' });
    expect((await store.open(dir)).scenario).toBe('refund-desk');
  });

  test('links are not followed on the way to a run', async () => {
    const { root, scenarioDir, store } = await opened();
    await symlink(scenarioDir, join(root, 'alias'));
    await (await store.create(scenarioDir, 'run-1')).journal.append(created().body, 'user:ada', 0);
    expect(await store.list()).toHaveLength(1);
  });

  test('a missing root holds no runs', async () => {
    const store = openFileRunStore({ roots: ['/nowhere/at/all'], clock: tickingClock(), worker: 'w' });
    expect(await store.list()).toEqual([]);
  });

  test('a scenario folder is named absolutely', async () => {
    const { store } = await opened();
    await expect(store.create('scenarios/x', 'run-1')).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('whole files of a run', () => {
  test.each([
    'events/000000.json',
    'spend/000000.json',
    'transcripts/init.jsonl',
    'wip/x',
    'design/r1/a.md',
    'execution_outputs/iteration_1/results.json',
  ])('are not written where another door is: %s', async (path) => {
    const folder = await run();
    await expect(folder.write(path, 'x')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('has its own door'),
    });
  });

  test('do not go through a link out of the run', async () => {
    const folder = await run();
    const { dir, root } = folder;
    await mkdir(join(root, 'outside'));
    await symlink(join(root, 'outside'), join(dir, 'out'));
    await expect(folder.write('out/summary.md', 'x')).rejects.toMatchObject({ code: 'data_corrupt' });
    await symlink('/etc/hostname', join(dir, 'secret'));
    await expect(folder.read('secret')).rejects.toMatchObject({ code: 'data_corrupt' });
    expect(await readdir(join(root, 'outside'))).toEqual([]);
  });

  test('leave no temporary file behind', async () => {
    const folder = await run();
    const { dir } = folder;
    await folder.write('out/summary.md', 'one');
    await folder.write('out/summary.md', 'two');
    expect(await readdir(join(dir, 'out'))).toEqual(['summary.md']);
  });
});

test('a worker of any name writes into wip only', async () => {
  const { root } = await opened();
  const scenarioDir = join(root, 'refund-desk');
  const store = openFileRunStore({ roots: [root], clock: tickingClock(), worker: '../../evil @host:1' });
  const folder = await store.create(scenarioDir, 'run-1');
  const attempt = await folder.artifacts.begin('design.r1', 'design/r1', []);
  expect(relative(join(folder.dir, 'wip'), attempt.dir)).toMatch(/^design\.r1@\.\.-\.\.-evil--host-1-[0-9a-f]{8}$/);
});

describe('a run that was opened before', () => {
  test('is opened without a search, as the same object', async () => {
    const { store, scenarioDir, root } = await opened();
    const first = await store.create(scenarioDir, 'run-1');
    await mkdir(join(root, 'other/runs/run-1'), { recursive: true });
    expect(await store.open('run-1')).toBe(first);
    expect(await store.open(first.dir)).toBe(first);
  });

  test('is not found once its folder is gone, and is new when another has its place', async () => {
    const { store, scenarioDir, another } = await opened();
    const first = await store.create(scenarioDir, 'run-1');
    await first.spending.reserve({ call: 'c1', agent: 'init', model: 'm', worstUsd: 1 }, 5);
    await rm(first.dir, { recursive: true });
    await expect(store.open('run-1')).rejects.toMatchObject({ code: 'not_found' });
    await another().create(scenarioDir, 'run-1');
    expect(await (await store.open('run-1')).spending.list()).toEqual([]);
  });

  test('does not hide a run that another process has created since', async () => {
    const { store, scenarioDir, another } = await opened();
    await store.create(scenarioDir, 'run-1');
    await another().create(scenarioDir, 'run-2');
    expect((await store.open('run-2')).id).toBe('run-2');
    await expect(store.open('run')).rejects.toMatchObject({ message: expect.stringContaining('could be') });
  });
});
