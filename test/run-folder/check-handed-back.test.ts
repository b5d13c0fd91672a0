/** A run whose step workers give back: said to who looks on, and paused when three of them did. */
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { createInProcessQueue } from '../../src/adapters/in-process/in-process-queue.ts';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import type { HandedBack, JobQueue } from '../../src/ports/job-queue.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { checkHandedBack } from '../../src/run-folder/hand-over.ts';
import { readState } from '../../src/run-folder/snapshot.ts';
import { created, designDone, started } from '../support/run-events.ts';
import { scratch, tickingClock } from '../support/scratch.ts';

let by: HandedBack[];
let said: string[];
let queue: JobQueue;
let run: RunFolder;

beforeEach(async () => {
  [by, said] = [[], []];
  const handedBack = { of: async () => by, forget: async () => void (by = []) };
  queue = { ...createInProcessQueue(), handedBack };
  const dir = join(await scratch(), 'scenarios/desk');
  await mkdir(dir, { recursive: true });
  const store = openFileRunStore({ roots: [join(dir, '..')], clock: tickingClock(), worker: 'test' });
  run = await store.create(dir, 'a');
  for (const [length, { body, actor }] of [created(), started()].entries())
    await run.journal.append(body, actor, length);
});

const deps = () => ({
  queue,
  progress: (event: { type: string; detail?: string }) => void said.push(event.detail ?? event.type),
});
const blind = (worker: string): HandedBack => ({ worker, why: 'it does not see the folder.' });

test('each worker is named once, and two stop nothing', async () => {
  const seen = new Set<string>();
  by = [blind('w1'), blind('w2')];
  for (let looks = 0; looks < 3; looks += 1) await checkHandedBack(run, deps(), seen);
  expect(said).toHaveLength(2);
  expect(said[0]).toContain('w1 gave run a back: it does not see the folder.');
  expect(await readState(run)).toMatchObject({ status: 'designing' });
});

test('three pause the run with their reasons, and what they said is forgotten', async () => {
  by = [blind('w1'), blind('w2'), { worker: 'w3', why: 'it has no bubblewrap.' }];
  await checkHandedBack(run, deps(), new Set());
  expect(await readState(run)).toMatchObject({
    status: 'paused',
    pause: {
      reason: 'provider',
      detail: expect.stringMatching(/w1, w2: it does not see.*w3: it has no bubblewrap.*tandem resume a/),
    },
  });
  expect(by).toEqual([]);
});

test('older workers do not pause a run that waits for a newer one', async () => {
  by = ['w1', 'w2', 'w3', 'w4'].map((worker) => ({ worker, why: 'made by a newer Tandem', isOlder: true }));
  await checkHandedBack(run, deps(), new Set());
  expect(said).toHaveLength(4);
  expect(await readState(run)).toMatchObject({ status: 'designing' });
});

test('a run that has moved on meanwhile is left as it is', async () => {
  const { body, actor } = designDone(1);
  await run.journal.append(body, actor, 2);
  by = ['w1', 'w2', 'w3'].map(blind);
  await checkHandedBack(run, deps(), new Set());
  expect(await readState(run)).toMatchObject({ status: 'awaiting_approval' });
});
