/** The token of a page or of metrics: made once, also when several processes start together, and never readable by others. */
import { chmod, readdir, stat, writeFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOrCreateToken } from '../../../src/cli/serve/token-file.ts';
import { scratch } from '../../support/scratch.ts';

test('of several that start together all have one token, in a file of its owner, and nothing else is left', async () => {
  const dir = await scratch();
  const path = join(dir, 'token');
  const tokens = await Promise.all(Array.from({ length: 8 }, () => readOrCreateToken(path)));
  expect(new Set(tokens).size).toBe(1);
  expect(tokens[0]).toMatch(/^[\w-]{32}$/);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(dir)).toEqual(['token']);
  expect(await readOrCreateToken(path)).toBe(tokens[0]);
});

test('a file that others can read, or that holds no token, is refused with what to do', async () => {
  const path = join(await scratch(), 'token');
  await readOrCreateToken(path);
  await chmod(path, 0o644);
  await expect(readOrCreateToken(path)).rejects.toThrow('chmod 600');
  await chmod(path, 0o600);
  await writeFile(path, 'short\n');
  await expect(readOrCreateToken(path)).rejects.toThrow('delete it to have one made');
});

test('a link to nothing is refused and not followed for ever', async () => {
  const path = join(await scratch(), 'token');
  await symlink('nowhere', path);
  await expect(readOrCreateToken(path)).rejects.toThrow('leads out of its place');
});
