import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { findCopyHome, WORKING_COPY } from '../../src/disk/working-copy.ts';
import { findLabels } from '../../src/pipeline/evaluation/settled-results.ts';
import { scratch, tickingClock } from '../support/scratch.ts';

async function copied(): Promise<string> {
  const root = await scratch();
  const run = join(root, 'scenarios/refund-desk/runs/r1');
  await mkdir(run, { recursive: true });
  await writeFile(join(root, WORKING_COPY), `${JSON.stringify({ home: 'postgres://db/tandem' })}\n`);
  return run;
}

test('a run folder of its own has no other home', async () => {
  expect(await findCopyHome(join(await scratch(), 'scenarios/refund-desk/runs/r1'))).toBeUndefined();
});

test('a working copy is not opened as a run folder: it would become another run than the one in the store', async () => {
  const run = await copied();
  expect(await findCopyHome(run)).toBe('postgres://db/tandem');
  const store = openFileRunStore({ roots: [], clock: tickingClock(), worker: 'w' });
  await expect(store.open(run)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('set TANDEM_STORE to that store') as string,
  });
});

test('a label is refused where it would be lost', async () => {
  const scenario = join(await copied(), '../..');
  await expect(findLabels(scenario)).rejects.toThrow(/name the run by its id/);
});
