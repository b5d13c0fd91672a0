import { appendFile, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFinishedWork } from '../../../src/pipeline/evaluation/finished-work.ts';

const makeFolder = () => mkdtemp(join(tmpdir(), 'tandem-finished-'));
const LONG = { text: 'ä\u2028\n\t'.repeat(60_000) };

test('what many finished at once is one file, and the next process finds all of it, long or short', async () => {
  const dir = await makeFolder();
  const first = await openFinishedWork(dir);
  expect(await first.recall('trials/a.1')).toBeUndefined();
  const names = Array.from({ length: 500 }, (_, index) => `trials/s${index}.1`);
  await Promise.all([
    first.remember('turns/ä\t1', LONG),
    ...names.map((name, index) => first.remember(name, { index })),
  ]);
  expect(await first.recall('trials/s7.1')).toEqual({ index: 7 });
  await first.remember('trials/s7.1', 'replaced');
  await first.close();
  expect(await readdir(dir)).toEqual(['finished.jsonl']);
  const next = await openFinishedWork(dir);
  expect(await next.recall('trials/s7.1')).toBe('replaced');
  expect(await next.recall('trials/s499.1')).toEqual({ index: 499 });
  expect(await next.recall('turns/ä\t1')).toEqual(LONG);
  await next.close();
});

test.each(['trials%2Fb.1', 'trials%2Fb.1\t{"half', 'trials%2Fb.1\t{"whole":1}'])(
  'a line that a kill cut off (%s) is no work, and spoils none that comes after it',
  async (torn) => {
    const dir = await makeFolder();
    const first = await openFinishedWork(dir);
    await first.remember('trials/a.1', 1);
    await first.close();
    await appendFile(join(dir, 'finished.jsonl'), torn);
    const next = await openFinishedWork(dir);
    expect(await next.recall('trials/a.1')).toBe(1);
    expect(await next.recall('trials/b.1')).toBeUndefined();
    await next.remember('trials/b.1', 2);
    await next.close();
    expect(await readFile(join(dir, 'finished.jsonl'), 'utf8')).toBe('trials%2Fa.1\t1\ntrials%2Fb.1\t2\n');
  },
);

test('the files of an evaluation that an earlier version began are found too', async () => {
  const dir = await makeFolder();
  await mkdir(join(dir, 'trials'));
  await writeFile(join(dir, 'trials/a.1.json'), '{"version":1}');
  const work = await openFinishedWork(dir);
  expect(await work.recall('trials/a.1')).toEqual({ version: 1 });
  expect(await work.recall('trials/b.1')).toBeUndefined();
  await work.remember('trials/a.1', 'again');
  expect(await work.recall('trials/a.1')).toBe('again');
  await work.close();
});

test('lines that are none of ours are no work, and end nothing', async () => {
  const dir = await makeFolder();
  await writeFile(join(dir, 'finished.jsonl'), 'a note\n%E0%A4%A\t{}\ntrials%2Fa.1\t{"half\ntrials%2Fb.1\t1\n');
  const work = await openFinishedWork(dir);
  expect([await work.recall('trials/a.1'), await work.recall('trials/b.1')]).toEqual([undefined, 1]);
  await work.close();
});
