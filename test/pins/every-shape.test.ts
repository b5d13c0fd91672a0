/** Every file format with a version is pinned in this folder, or it is one that a person writes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** Written by people and read on every start: test/config and test/scenario hold them, and an error names the line. */
const WRITTEN_BY_PEOPLE = [
  'src/ports/model-table.ts',
  'src/adapters/simulated/scripts/script.ts',
  'src/agent/definition.ts',
  'src/config/project.ts',
  'src/config/reviewers.ts',
  'src/config/schema.ts',
  'src/context/policy.ts',
  'src/scenario/brief.ts',
];
/** Formats of other programs. */
const FOREIGN = ['src/interop/inspect/shapes.ts'];

const sources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path));

test('no format is without a pin', () => {
  const pinned = new Set(
    sources('test/pins').flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/from '\.\.\/\.\.\/(src\/[^']+)'/g)].map(([, found = '']) =>
        normalize(found),
      ),
    ),
  );
  const formats = sources('src').filter((path) => /version: z\.(?:literal|int)\(/.test(readFileSync(path, 'utf8')));
  expect(formats.length).toBeGreaterThan(30);
  const known = [...WRITTEN_BY_PEOPLE, ...FOREIGN];
  expect(formats.filter((path) => !pinned.has(path) && !known.includes(path))).toEqual([]);
  expect(known.filter((path) => !formats.includes(path))).toEqual([]);
});
