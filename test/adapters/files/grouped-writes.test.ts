import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAttempt } from '../../../src/adapters/files/file-artifacts.ts';
import { scratch } from '../../support/scratch.ts';

async function attempt(): Promise<ReturnType<typeof createAttempt>> {
  const dir = join(await scratch(), 'execute.i1@one');
  await mkdir(dir);
  return createAttempt('execute.i1', dir, 'execution_outputs/iteration_1');
}
const filesOf = (dir: string): Promise<string[]> => readdir(join(dir, 'turns/together')).catch(() => []);
const NAMES = Array.from({ length: 100 }, (_, index) => `subject/s${index}.1.0001`);

test('what is remembered one after the other lies in a file each, what comes at once in few files', async () => {
  const mine = await attempt();
  await mine.remember('execute.0001', { n: 1 });
  expect(await filesOf(mine.dir)).toEqual([]);
  await Promise.all(NAMES.map((name) => mine.remember(name, { name })));
  expect((await filesOf(mine.dir)).length).toBeLessThanOrEqual(2);
  expect(await mine.recall('execute.0001')).toEqual({ n: 1 });
  expect(await Promise.all(NAMES.map((name) => mine.recall(name)))).toEqual(NAMES.map((name) => ({ name })));
});

test('another process finds it, also what was written after it first looked', async () => {
  const mine = await attempt();
  const other = createAttempt('execute.i1', mine.dir, '');
  expect(await other.recall(NAMES[0] ?? '')).toBeUndefined();
  await Promise.all(NAMES.map((name) => mine.remember(name, { text: 'ä\n"' })));
  expect(await Promise.all(NAMES.map((name) => other.recall(name)))).toEqual(NAMES.map(() => ({ text: 'ä\n"' })));
  await Promise.all(NAMES.map((name) => other.remember(name, 'newer')));
  await other.remember(NAMES[7] ?? '', 'newest');
  const third = createAttempt('execute.i1', mine.dir, '');
  expect([await third.recall(NAMES[3] ?? ''), await third.recall(NAMES[7] ?? '')]).toEqual(['newer', 'newest']);
});

test('after a takeover nothing more is written, and nothing looks as if it had never been paid for', async () => {
  const mine = await attempt();
  await Promise.all(NAMES.map((name) => mine.remember(name, 1)));
  const taken = mine.dir.replace('@one', '@two');
  await rename(mine.dir, taken);
  const written = await Promise.allSettled(NAMES.map((name) => mine.remember(`${name}.late`, 2)));
  for (const one of written) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'attempt_lost' } });
  await expect(mine.recall('never')).rejects.toMatchObject({ code: 'attempt_lost' });
  await expect(mine.recall(NAMES[0] ?? '')).rejects.toMatchObject({ code: 'attempt_lost' });
  expect(await createAttempt('execute.i1', taken, '').recall(NAMES[0] ?? '')).toBe(1);
});

test('records of trials lie alone, because other workers look for them by name', async () => {
  const mine = await attempt();
  await Promise.all(['a.1', 'b.1', 'c.1'].map((name) => mine.remember(`trials/${name}`, name)));
  expect((await readdir(join(mine.dir, 'turns/trials'))).toSorted()).toEqual(['a.1.json', 'b.1.json', 'c.1.json']);
});
