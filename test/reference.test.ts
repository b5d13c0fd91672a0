/** The reference is what the code says: every command, key, event, exit code and export, and nothing else. */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../src/cli/command-context.ts';
import { parse } from 'yaml';
import { isRead, keysOf, renderReference, type KeyRow } from '../tools/reference.ts';

const pages = Object.entries(await renderReference());

test.each(pages)('%s is as the code has it (npm run reference)', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});

const page = (name: string): string => pages.find(([path]) => path.endsWith(name))?.[1] ?? '';

test('the pages hold what a reader looks for', () => {
  expect(page('commands.md')).toMatch(/## tandem gates approve\n[\s\S]*`--digest <digest>`/);
  expect(page('keys.md')).toContain('| `queue.lock_ms` |');
  expect(page('keys.md')).toContain('| `agents.<name>');
  expect(page('events.md')).toMatch(/## gate\.decided\n[\s\S]*`digest`/);
  expect(page('library.md')).toMatch(/`startRun` \| \w/);
  expect(page('library.md')).toMatch(/`openContext` \| \w/);
});

test('docs/ci.md explains every exit code', () => {
  const [, table = ''] = readFileSync('docs/ci.md', 'utf8').split('## What an exit code means');
  for (const code of Object.values(EXIT)) expect(table).toMatch(new RegExp(`^\\| ${code}[ ,]`, 'm'));
});

test('every door of the package has its exports on the page of the library', () => {
  const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; exports: object };
  const doors = Object.keys(exports).filter((one) => !one.endsWith('.json'));
  for (const door of doors) expect(page('library.md')).toContain(`## ${name}${door.slice(1)}\n\n| export |`);
});

/** More levels than the page shows: an editor sees all of them. */
const keysIn = (path: string): KeyRow[] => keysOf(JSON.parse(readFileSync(path, 'utf8')) as object, '', -3);
const written = globSync('schemas/*.schema.json').filter((path) => !isRead(path));

test.each(written)('every key of %s has a meaning', (path) => {
  expect(keysIn(path).length).toBeGreaterThan(0);
  expect(keysIn(path).flatMap(([key, , , means]) => (means === '' ? [key] : []))).toEqual([]);
});

test('every meaning is of a key that there is', () => {
  const table = parse(readFileSync('tools/key-meanings.yaml', 'utf8')) as Record<string, Record<string, string>>;
  const known = new Map(
    written.map((path) => [basename(path, '.schema.json'), new Set(keysIn(path).map(([key]) => key))]),
  );
  const ofAgents = [...(known.get('config') ?? [])].map((key) => key.replace('agents.<name>.', ''));
  const stray = Object.entries(table).flatMap(([file, keys]) =>
    Object.keys(keys)
      .filter((key) => !key.endsWith('.*') && known.get(file)?.has(key) !== true)
      .filter((key) => file !== 'agent' || !ofAgents.includes(key))
      .map((key) => `${file}: ${key}`),
  );
  expect(stray).toEqual([]);
});
