/** What a component may see of its folder. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestVisible, visibleTo } from '../../../src/adapters/sandbox/visible-files.ts';
import { scratch } from '../../support/scratch.ts';

test('itself, what it imports and the helper folders; no sample, no checker for a tool, nothing behind a link', async () => {
  const dir = await scratch();
  for (const folder of ['tools/shared', 'checkers/lists', 'samples'])
    await mkdir(join(dir, folder), { recursive: true });
  const files = {
    'tools/a.mjs': `import { b } from './b.mjs';
import gold from '../samples/gold.json' with { type: 'json' };
import '../checkers/c.mjs'; import './link.mjs'; import { fs } from 'node:fs'; import './shared/x.mjs';`,
    'tools/b.mjs': `export { d as b } from './d.ts'; await import('./a.mjs');`,
    'tools/d.ts': 'export const d = 1;',
    'tools/e.mjs': '',
    'tools/shared/x.mjs': '',
    'checkers/c.mjs': `import '../tools/d.ts'; import '../samples/gold.json';`,
    'samples/gold.json': '{}',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(dir, path), text);
  await symlink('/etc/passwd', join(dir, 'tools/link.mjs'));
  await symlink(join(dir, 'samples'), join(dir, 'tools/up'));
  expect(await visibleTo(dir, 'tools/a.mjs')).toEqual(['tools/a.mjs', 'tools/b.mjs', 'tools/d.ts', 'tools/shared']);
  expect(await visibleTo(dir, 'checkers/c.mjs')).toEqual([
    'checkers/c.mjs',
    'tools/d.ts',
    'tools/shared',
    'checkers/lists',
  ]);
  expect(await visibleTo(dir, 'tools/shared/x.mjs')).toEqual(['tools/shared']);
});

test('the digest of a module changes with itself, its imports and its helpers, and with no other file', async () => {
  const dir = await scratch();
  for (const folder of ['tools/shared/deep', 'samples']) await mkdir(join(dir, folder), { recursive: true });
  const write = (path: string, text: string): Promise<void> => writeFile(join(dir, path), text);
  await write('tools/a.mjs', `import './b.mjs';`);
  for (const path of ['tools/b.mjs', 'tools/c.mjs', 'tools/shared/deep/x.mjs', 'samples/one.json'])
    await write(path, '');
  const first = await digestVisible(dir, 'tools/a.mjs');
  await write('samples/one.json', '{}');
  await write('tools/c.mjs', 'export {};');
  expect(await digestVisible(dir, 'tools/a.mjs')).toBe(first);
  const digests = new Set([first]);
  for (const path of ['tools/b.mjs', 'tools/shared/deep/x.mjs', 'tools/a.mjs']) {
    await write(path, `import './b.mjs';\nexport {};`);
    digests.add(await digestVisible(dir, 'tools/a.mjs'));
  }
  expect(digests.size).toBe(4);
});
