/** `ended.json`: spares the first list the journal of a run that has ended, and is believed only where the journal is as long as it was. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { openRunIndex } from '../../src/run-folder/run-index.ts';
import { readEndedStatus, writeEndedStatus } from '../../src/run-folder/hand-over.ts';
import type { RunFolder, RunStore } from '../../src/ports/run-store.ts';
import { scratch, tickingClock } from '../support/scratch.ts';
import { cancelled, created, decided, designDone, iterationDone, started } from '../support/run-events.ts';

let scenario: string;
let store: RunStore;

beforeEach(async () => {
  const root = await scratch();
  scenario = join(root, 'desk');
  await mkdir(scenario);
  store = openFileRunStore({ roots: [root], clock: tickingClock(), worker: 'test' });
});

const ENDED = [created(), started(), designDone(1), decided(1, 'approve'), iterationDone(1, 0.9)];

async function runWith(id: string, story: readonly ReturnType<typeof created>[]): Promise<RunFolder> {
  const run = await store.create(scenario, id);
  for (const [length, { body, actor }] of story.entries()) await run.journal.append(body, actor, length);
  return run;
}

test('says of a run that has ended what the index would read, cost included', async () => {
  const run = await runWith('over', ENDED);
  const { runs } = await openRunIndex(store).look();
  await writeEndedStatus(run);
  const { id, scenario: name, dir } = run;
  expect([{ ...(await readEndedStatus(dir)), id, scenario: name, dir }]).toEqual(runs);
  expect(runs).toMatchObject([{ status: 'succeeded', isOver: true, usd: 0, rate: 0.9, length: 5 }]);
});

test('a first list takes it, and opens nothing else of the run', async () => {
  const run = await runWith('over', ENDED);
  await writeEndedStatus(run);
  // What only a reader of the journal would notice.
  const first = join(run.dir, 'events/000000.json');
  await writeFile(first, '{}');
  expect(await openRunIndex(store).look()).toMatchObject({
    runs: [{ id: 'over', status: 'succeeded' }],
    unreadable: [],
  });
});

test.each([
  ['shorter', async (run: RunFolder) => rm(join(run.dir, 'events/000004.json')), 'executing'],
  ['longer', async (run: RunFolder) => writeFile(join(run.dir, 'events/000005.json'), '{}'), undefined],
  ['other', async (run: RunFolder) => writeFile(join(run.dir, 'ended.json'), '{"version":2}'), 'succeeded'],
])('is not believed where the journal is %s', async (_, change, status) => {
  const run = await runWith('over', ENDED);
  await writeEndedStatus(run);
  await change(run);
  expect(await readEndedStatus(run.dir)).toBeUndefined();
  expect((await openRunIndex(store).look()).runs[0]?.status).toBe(status);
});

test('is not written for a run that may go on', async () => {
  const run = await runWith('gated', ENDED.slice(0, 3));
  await writeEndedStatus(run);
  await writeEndedStatus(await runWith('empty', [created()]));
  await expect(readFile(join(run.dir, 'ended.json'))).rejects.toThrow('ENOENT');
  const over = await runWith('cancelled', [...ENDED.slice(0, 3), cancelled()]);
  await writeEndedStatus(over);
  expect(await readEndedStatus(over.dir)).toMatchObject({ status: 'cancelled' });
});
