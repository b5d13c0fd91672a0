/** The index of runs is a cache: it saves reading, and is never believed against a journal. */
import { cpSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { openRunIndex } from '../../src/run-folder/run-index.ts';
import type { RunFolder, RunStore } from '../../src/ports/run-store.ts';
import { scratch, tickingClock } from '../support/scratch.ts';
import { cancelled, created, decided, designDone, started } from '../support/run-events.ts';

let scenario: string;
let store: RunStore;
let read: ReturnType<typeof vi.fn<RunStore['at']>>;

beforeEach(async () => {
  const root = await scratch();
  scenario = join(root, 'desk');
  await mkdir(scenario);
  const files = openFileRunStore({ roots: [root], clock: tickingClock(), worker: 'test' });
  read = vi.fn<RunStore['at']>((found) => files.at(found));
  store = { ...files, at: read };
});

const STORY = [created(), started(), designDone(1), cancelled()];

async function runWith(id: string, events: number): Promise<RunFolder> {
  const run = await store.create(scenario, id);
  for (const [length, { body, actor }] of STORY.slice(0, events).entries())
    await run.journal.append(body, actor, length);
  return run;
}

const file = () => join(scenario, 'runs/.index.json');

test('tells of each run what a list or a worker needs', async () => {
  for (const [id, events] of Object.entries({ fresh: 1, gated: 3, over: 4 })) await runWith(id, events);
  const { runs } = await openRunIndex(store).look();
  const told = Object.fromEntries(
    runs.map(({ id, status, lane, gate, isOver }) => [id, [status, lane, gate?.id, isOver]]),
  );
  expect(told).toEqual({
    fresh: ['created', 'init', undefined, false],
    gated: ['awaiting_approval', undefined, 'HITL-1.r1', false],
    over: ['cancelled', undefined, undefined, true],
  });
});

test('reads no journal again that has not grown, in this process or another', async () => {
  const run = await runWith('gated', 3);
  await runWith('over', 4);
  const index = openRunIndex(store);
  await index.look();
  read.mockClear();
  await index.look();
  await openRunIndex(store).look();
  expect(read).not.toHaveBeenCalled();
  await run.journal.append(decided(1, 'approve').body, 'user:ada', 3);
  const { runs } = await openRunIndex(store).look();
  expect(read).toHaveBeenCalledTimes(1);
  expect(runs.find(({ id }) => id === 'gated')).toMatchObject({ status: 'executing', lane: 'execute' });
});

test.each(['not json', '{"version":1,"runs":{}}', '{"version":4,"runs":{"gated":{"length":1}}}'])(
  'makes itself anew out of %s',
  async (text) => {
    await runWith('gated', 3);
    await writeFile(file(), text);
    expect((await openRunIndex(store).look()).runs).toMatchObject([{ id: 'gated', status: 'awaiting_approval' }]);
    expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({ version: 4, runs: { gated: { length: 3 } } });
  },
);

test('what another version remembers of a run that goes on is read again: it may see no next step where this one does', async () => {
  await runWith('fresh', 1);
  await runWith('over', 4);
  await openRunIndex(store).look();
  const { version, runs } = JSON.parse(await readFile(file(), 'utf8')) as {
    version: number;
    runs: Record<string, { machineVersion?: number; lane?: string }>;
  };
  for (const machineVersion of [undefined, 1, 1000]) {
    const others = Object.entries(runs).map(([id, seen]) => [id, { ...seen, lane: undefined, machineVersion }]);
    await writeFile(file(), JSON.stringify({ version, runs: Object.fromEntries(others) as object }));
    read.mockClear();
    expect((await openRunIndex(store).look()).runs.find(({ id }) => id === 'fresh')).toMatchObject({ lane: 'init' });
    // One that is over stays so, whoever says it.
    expect(read.mock.calls.map(([{ id }]) => id)).toEqual(['fresh']);
  }
});

test('forgets a run whose folder is gone, and does not see one that is only being made', async () => {
  const run = await runWith('gone', 3);
  await runWith('half', 0);
  const index = openRunIndex(store);
  expect((await index.look()).runs.map(({ id }) => id)).toEqual(['gone']);
  await rm(run.dir, { recursive: true });
  expect((await index.look()).runs).toEqual([]);
});

test('names a run that cannot be read, and tells of the others', async () => {
  await runWith('sound', 3);
  const broken = await runWith('broken', 3);
  await writeFile(join(broken.dir, 'events/000001.json'), '{}');
  const { runs, unreadable } = await openRunIndex(store).look();
  expect(runs.map(({ id }) => id)).toEqual(['sound']);
  expect(unreadable).toMatchObject([
    { id: 'broken', isNewer: false, message: expect.stringContaining('events/000001.json') as string },
  ]);
});

test('a first look over many runs that have ended leaves most of their ledgers to later looks', async () => {
  const { dir } = await runWith('over-0', 4);
  for (let index = 1; index < 70; index += 1) cpSync(dir, join(dir, `../over-${index}`), { recursive: true });
  const costs = async () => {
    const { runs } = await openRunIndex(store).look();
    return runs.map(({ usd }) => usd).filter((usd) => usd !== undefined);
  };
  expect(await costs()).toEqual(Array.from({ length: 64 }, () => 0));
  expect(await costs()).toEqual(Array.from({ length: 70 }, () => 0));
});

test('a ledger that cannot be read is looked at once, and its run is listed', async () => {
  const run = await runWith('over', 4);
  await mkdir(join(run.dir, 'spend'), { recursive: true });
  await writeFile(join(run.dir, 'spend/000000.json'), 'not a line');
  const index = openRunIndex(store);
  expect((await index.look()).runs).toMatchObject([{ id: 'over', status: 'cancelled' }]);
  read.mockClear();
  expect((await index.look()).runs[0]?.usd).toBeUndefined();
  expect(read).not.toHaveBeenCalled();
});
