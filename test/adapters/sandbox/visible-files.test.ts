/** What a component may see of its folder. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { visibleTo } from '../../../src/adapters/sandbox/visible-files.ts';
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
