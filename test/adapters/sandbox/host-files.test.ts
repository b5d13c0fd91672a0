/** The host as plain JavaScript: made once, whole, and written by its user alone. */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parse } from 'acorn';
import { expect, test } from 'vitest';
import { HOST_FILES, preparePlainHost } from '../../../src/adapters/sandbox/host-files.ts';

test('each file is plain JavaScript that refers to the others, in a folder that nobody else can write to', async () => {
  const [plain, again] = await Promise.all([preparePlainHost(), preparePlainHost()]);
  expect(again).toBe(plain);
  const files = [plain.host, plain.clock, ...plain.parts];
  expect(files).toHaveLength(2 + HOST_FILES.parts.length);
  for (const file of files) {
    const code = readFileSync(file, 'utf8');
    expect(() => parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), file).not.toThrow();
    for (const [, other = ''] of code.matchAll(/from '\.\/([^']+)'/g))
      expect(files.map((one) => basename(one))).toContain(other);
  }
  const { mode, uid } = statSync(dirname(plain.host));
  expect([mode & 0o022, uid]).toEqual([0, process.getuid?.()]);
});
