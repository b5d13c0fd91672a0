/** The index keeps the port's contract with and without a file; the one on disk survives what happens to files (S3.12). */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openSqliteMemory } from '../../../src/adapters/memory/sqlite-memory.ts';
import { createMemoryItem, memoryContract } from '../../contracts/memory.contract.ts';
import { scratch } from '../../support/scratch.ts';

memoryContract('without a file', () => openSqliteMemory(':memory:'));
memoryContract('sqlite', async () => openSqliteMemory(join(await scratch(), 'a/b/memory.sqlite')));

const first = async (path: string, text: string) => {
  const memory = await openSqliteMemory(path);
  const [found] = await memory.search({ text, limit: 1 });
  await memory.close();
  return found?.entry;
};

const alter = (path: string, sql: string) => {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
};

describe('the index on disk', () => {
  test('is there when it is opened again', async () => {
    const path = join(await scratch(), 'memory.sqlite');
    const memory = await openSqliteMemory(path);
    await memory.remember([createMemoryItem('e1', 'kept')]);
    await memory.close();
    expect(await first(path, 'kept')).toBe('e1');
  });

  test.each([
    [
      'is no database',
      async (path: string) => writeFile(path, 'not a database at all, but long enough to look like one'),
    ],
    ['is of another version', async (path: string) => alter(path, 'PRAGMA user_version = 99')],
    ['lacks its words', async (path: string) => alter(path, 'DROP TABLE words')],
    ['is torn', async (path: string) => writeFile(path, (await readFile(path)).subarray(0, 5000))],
  ])('is made anew when the file %s', async (_name, spoil) => {
    const path = join(await scratch(), 'memory.sqlite');
    const memory = await openSqliteMemory(path);
    await memory.remember([createMemoryItem('e1', 'old')]);
    await memory.close();
    await spoil(path);
    const again = await openSqliteMemory(path);
    await again.remember([createMemoryItem('e2', 'new')]);
    await again.close();
    expect(await first(path, 'new')).toBe('e2');
    expect(await first(path, 'old')).toBeUndefined();
  });

  test('keeps all items of one call or none, and goes on after one that cannot be kept', async () => {
    const memory = await openSqliteMemory(join(await scratch(), 'memory.sqlite'));
    const bad = { ...createMemoryItem('e2', 'bad'), run: Symbol('run') as unknown as string };
    await expect(memory.remember([createMemoryItem('e1', 'half'), bad])).rejects.toMatchObject({
      code: 'infrastructure',
    });
    expect(await memory.search({ text: 'half', limit: 1 })).toEqual([]);
    await memory.remember([createMemoryItem('e3', 'whole')]);
    expect(await memory.search({ text: 'whole', limit: 1 })).toHaveLength(1);
    await memory.close();
  });

  test('two that write at the same time lose nothing', async () => {
    const path = join(await scratch(), 'memory.sqlite');
    const [one, other] = [await openSqliteMemory(path), await openSqliteMemory(path)];
    await Promise.all([
      one.remember([createMemoryItem('e1', 'left')]),
      other.remember([createMemoryItem('e2', 'right')]),
    ]);
    expect(await one.search({ text: 'right', limit: 1 })).toHaveLength(1);
    expect(await other.search({ text: 'left', limit: 1 })).toHaveLength(1);
    await one.close();
    await other.close();
  });

  test('a place where no file can be is a typed error that says what to do', async () => {
    const dir = await scratch();
    await writeFile(join(dir, 'file'), '');
    await expect(openSqliteMemory(join(dir, 'file/memory.sqlite'))).rejects.toMatchObject({
      code: 'infrastructure',
      message: expect.stringMatching(/index of past sessions[\s\S]*makes it anew/),
    });
    await mkdir(join(dir, 'folder.sqlite'));
    await expect(openSqliteMemory(join(dir, 'folder.sqlite'))).rejects.toMatchObject({ code: 'infrastructure' });
    expect(existsSync(join(dir, 'folder.sqlite'))).toBe(true);
    await chmod(join(dir, 'file'), 0o644);
  });

  test('a closed one says so in our own words', async () => {
    const memory = await openSqliteMemory(join(await scratch(), 'memory.sqlite'));
    await memory.close();
    await memory.close();
    await expect(memory.search({ text: 'x', limit: 1 })).rejects.toMatchObject({ code: 'infrastructure' });
  });
});
