/** Read once: a journal is read and checked once in a process, then only what was appended since. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import type { Journal } from '../../src/ports/journal.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { findSnapshot, openSnapshot, readAfresh, readState } from '../../src/run-folder/snapshot.ts';
import { cancelled, created, designDone, started, type Happened } from '../support/run-events.ts';
import { scratch, tickingClock } from '../support/scratch.ts';

const storeIn = (root: string) => openFileRunStore({ roots: [root], clock: tickingClock(), worker: 'w' });

async function append(run: RunFolder, ...story: readonly Happened[]): Promise<void> {
  for (const { body, actor } of story) await run.journal.append(body, actor, (await run.journal.read()).length);
}

async function begin(): Promise<{ root: string; run: RunFolder }> {
  const root = await scratch();
  const run = await storeIn(root).create(join(root, 'refund-desk'), 'run-1');
  await append(run, created(), started());
  return { root, run };
}

/** The same run, and how many events each of its reads answered with. */
function counted(run: RunFolder): { run: RunFolder; reads: number[] } {
  const reads: number[] = [];
  const read: Journal['read'] = async (after) => {
    const events = await run.journal.read(after);
    reads.push(events.length);
    return events;
  };
  return { run: { ...run, journal: { ...run.journal, read } }, reads };
}

test('reads the whole journal once, also for several stores, and then only new events', async () => {
  const { root, run } = await begin();
  const first = counted(run);
  expect((await openSnapshot(first.run)).state.status).toBe('designing');
  const second = counted(await storeIn(root).open('run-1'));
  await append(run, designDone(1));
  const { events, state } = await openSnapshot(second.run);
  expect([first.reads, second.reads]).toEqual([[2], [1]]);
  expect([events.length, state.status]).toEqual([3, 'awaiting_approval']);
  expect(events).toEqual(await run.journal.read());
});

test('gives concurrent callers the same snapshot from one read', async () => {
  const { run, reads } = counted((await begin()).run);
  const [one, other] = await Promise.all([openSnapshot(run), openSnapshot(run)]);
  expect(other).toBe(one);
  expect(reads).toEqual([2, 0]);
});

test('has no snapshot of a run without events, and says so when one is required', async () => {
  const root = await scratch();
  const run = await storeIn(root).create(join(root, 'refund-desk'), 'run-1');
  expect(await findSnapshot(run)).toBeUndefined();
  await expect(openSnapshot(run)).rejects.toMatchObject({ code: 'data_corrupt' });
  await append(run, created());
  expect((await readState(run)).status).toBe('created');
});

test('reads a run again whose folder was replaced by another of the same name', async () => {
  const { root, run } = await begin();
  await append(run, cancelled());
  expect((await readState(run)).status).toBe('cancelled');
  await rm(run.dir, { recursive: true });
  const again = await storeIn(root).create(join(root, 'refund-desk'), 'run-1');
  await append(again, created(), started(), designDone(1));
  expect((await readState(again)).status).toBe('awaiting_approval');
});

test('finds a change to an event that was read before when it reads afresh', async () => {
  const { run } = await begin();
  await openSnapshot(run);
  const path = join(run.dir, 'events/000000.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace('user:starter', 'user:eve'));
  await expect(readAfresh(run)).rejects.toMatchObject({ details: { file: 'events/000000.json' } });
});

test('finds a change to the newest event at the next read', async () => {
  const { run } = await begin();
  await openSnapshot(run);
  const path = join(run.dir, 'events/000001.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace('worker:a', 'worker:eve'));
  await expect(openSnapshot(run)).rejects.toMatchObject({ details: { file: 'events/000001.json' } });
});
