import { mkdir, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { atomicWrite, createExclusive, sweepTemporaryFiles, TEMPORARY_PREFIX } from '../../src/disk/atomic-write.ts';
import { scratch } from '../support/scratch.ts';

test('a file is replaced whole, and nothing else is left', async () => {
  const dir = await scratch();
  const path = join(dir, 'a');
  await Promise.all(Array.from({ length: 10 }, (_, index) => atomicWrite(path, String(index).repeat(5000))));
  const text = await readFile(path, 'utf8');
  expect(new Set(text).size).toBe(1);
  expect(text).toHaveLength(5000);
  expect(await readdir(dir)).toEqual(['a']);
});

test('a folder that was renamed away takes no more files', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'mine'));
  await rename(join(dir, 'mine'), join(dir, 'theirs'));
  await expect(atomicWrite(join(dir, 'mine/a'), 'late')).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await readdir(join(dir, 'theirs'))).toEqual([]);
});

test('a name is created once', async () => {
  const dir = await scratch();
  expect(await createExclusive(join(dir, 'a'), 'one')).toBe(true);
  expect(await createExclusive(join(dir, 'a'), 'two')).toBe(false);
  expect(await readFile(join(dir, 'a'), 'utf8')).toBe('one');
  expect(await readdir(dir)).toEqual(['a']);
});

test('an error of the link that means nothing good goes on, and leaves nothing', async () => {
  const dir = await scratch();
  const broken = async () => Promise.reject(Object.assign(new Error('input/output'), { code: 'EIO' }));
  await expect(createExclusive(join(dir, 'a'), 'one', broken)).rejects.toThrow('input/output');
  expect(await readdir(dir)).toEqual([]);
});

test('a clock that is an hour ahead takes no file of a live writer away, and one of a dead writer goes', async () => {
  const folder = await scratch();
  const [live, dead] = ['live', 'dead'].map((name) => join(folder, `${TEMPORARY_PREFIX}${name}`));
  await writeFile(live ?? '', '');
  await writeFile(dead ?? '', '');
  const long = new Date(Date.now() - 11 * 60_000);
  await utimes(dead ?? '', long, long);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  try {
    await sweepTemporaryFiles(folder);
  } finally {
    vi.useRealTimers();
  }
  expect(await readdir(folder)).toEqual([`${TEMPORARY_PREFIX}live`]);
});
