/** Two folders may hold a run of one id: workers find runs by id, one process finds them by folder. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import { nameToDrive } from '../../../src/pipeline/drive/drive.ts';
import type { Deps } from '../../../src/pipeline/deps.ts';
import { created } from '../../support/run-events.ts';
import { scratch, tickingClock } from '../../support/scratch.ts';

async function runAndCopy() {
  const root = await scratch();
  const store = openFileRunStore({ roots: [root], clock: tickingClock(), worker: 'w' });
  const run = await store.create(join(root, 'refund-desk'), 'run-1');
  const { body, actor } = created();
  await run.journal.append(body, actor, 0);
  const copy = join(await scratch(), 'run-1');
  await cp(run.dir, copy, { recursive: true });
  const deps = (handedOver: boolean) => ({ store, handedOver }) as Deps;
  return { run, copy: await store.open(copy), deps };
}

test('one process carries on the folder it was given', async () => {
  const { run, copy, deps } = await runAndCopy();
  expect(await nameToDrive(run, deps(false))).toBe(run.dir);
  expect(await nameToDrive(copy, deps(false))).toBe(copy.dir);
});

test('workers get the id, and a folder that they would not find is refused with the one that they would', async () => {
  const { run, copy, deps } = await runAndCopy();
  expect(await nameToDrive(run, deps(true))).toBe('run-1');
  await expect(nameToDrive(copy, deps(true))).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(run.dir),
  });
});
