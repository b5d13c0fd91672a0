/** A process killed in the middle of a fork or a removal: what it left goes, and no run is lost. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import { sweepRuns } from '../../../src/adapters/files/find-runs.ts';
import type { RunStore } from '../../../src/ports/run-store.ts';
import { created } from '../../support/run-events.ts';
import { scratch, tickingClock } from '../../support/scratch.ts';

const LATER = 2 * 60 * 60_000;
let scenario: string;
let runs: string;
let store: RunStore;
beforeEach(async () => {
  const root = await scratch();
  [scenario, runs] = [join(root, 'desk'), join(root, 'desk/runs')];
  await mkdir(runs, { recursive: true });
  store = openFileRunStore({ roots: [root], clock: tickingClock(), worker: 'w' });
});

const there = async () => (await readdir(runs)).filter((name) => !name.endsWith('.json')).toSorted();
const sweep = (afterMs = LATER) => sweepRuns([scenario], Date.now() + afterMs);

test('a fork that was killed leaves neither its draft nor the folder that held its name', async () => {
  await store.create(scenario, 'fork-1');
  await mkdir(join(runs, '.forking-fork-1/events'), { recursive: true });
  await writeFile(join(runs, '.forking-fork-1/events/000000.json'), '{}');
  expect(await sweep(0)).toEqual([]);
  expect(await there()).toEqual(['.forking-fork-1', 'fork-1']);
  expect(await sweep()).toEqual(['.forking-fork-1 was left by a process that was killed, and is removed']);
  expect(await there()).toEqual([]);
  // Its name is free again.
  await expect(store.create(scenario, 'fork-1')).resolves.toMatchObject({ id: 'fork-1' });
});

test('an empty folder without a draft goes when it is asked for, an hour later; one with a file in it never', async () => {
  await store.create(scenario, 'killed');
  await mkdir(join(runs, 'mine'));
  await writeFile(join(runs, 'mine/notes.md'), 'x');
  const empty = (afterMs: number, dryRun: boolean) =>
    sweepRuns([scenario], Date.now() + afterMs, { empty: true, dryRun });
  expect([await sweep(), await empty(0, false)]).toEqual([[], []]);
  expect(await empty(LATER, true)).toEqual(['killed is empty, left by a process that was killed']);
  expect(await there()).toEqual(['killed', 'mine']);
  expect(await empty(LATER, false)).toEqual(['killed is empty, left by a process that was killed, and is removed']);
  expect(await there()).toEqual(['mine']);
});

test('a folder that an earlier version was archiving is a run again, and never lost', async () => {
  const away = join(runs, '.archived-run-1');
  await mkdir(join(away, 'events'), { recursive: true });
  await writeFile(join(away, 'events/000000.json'), '{}');
  await writeFile(join(runs, 'run-1.tar.gz'), 'half');
  expect(await sweep()).toEqual(['run-1 is a run again: it was not archived whole']);
  expect(await there()).toEqual(['run-1']);
});

test('drafts of unpacking and what was being removed go; runs and everything else stay', async () => {
  const run = await store.create(scenario, 'run-1');
  await run.journal.append(created().body, 'user:ada', 0);
  for (const name of ['.unpacking-run-9-123', '.removed-run-8', '.mine']) {
    await mkdir(join(runs, name));
    await writeFile(join(runs, name, 'x'), '');
  }
  expect(await sweep()).toHaveLength(2);
  expect(await there()).toEqual(['.mine', 'run-1']);
  expect(await store.sweep()).toEqual([]);
});
