import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fillMap, filesNamed } from '../tools/context-map.ts';

const page = readFileSync('docs/internals/context-map.md', 'utf8');
/**
 * Rules of runs, of the session store and of later levels of memory: they are no matter of the view. Not spelled as ids,
 * because a test that spells one counts as citing it.
 */
const ELSEWHERE: Record<string, number[]> = { S0: [23, 24, 25], S3: [1, 6, 7, 8, 12] };
const isElsewhere = (id: string): boolean => {
  const [design = '', rule = ''] = id.split('.');
  return ELSEWHERE[design]?.includes(Number(rule)) === true;
};

test('every file that docs/internals/context-map.md names exists, and so does every one that it links to', () => {
  expect(filesNamed(page).length).toBeGreaterThan(60);
  expect(filesNamed(page).filter((path) => !existsSync(path))).toEqual([]);
  const links = [...page.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => `docs/internals/${path}`);
  expect(links.filter((path) => !existsSync(path))).toEqual([]);
});

test('every mechanism of the five source designs that concerns contexts stands in the map', () => {
  const rules = [...readFileSync('docs/internals/requirements.md', 'utf8').matchAll(/^\| (S\d\.\d+) \|/gm)].map(
    ([, id = '']) => id,
  );
  const map = page.slice(page.indexOf('<!-- map:begin -->'), page.indexOf('<!-- map:end -->'));
  const missing = rules.filter((id) => !isElsewhere(id) && !new RegExp(`\\b${id.replace('.', '\\.')}\\b`).test(map));
  expect(missing).toEqual([]);
});

test('filling the map changes its last column only', () => {
  const filled = fillMap(page);
  const withoutTests = (text: string) =>
    text
      .split('\n')
      .map((line) => line.split('|').slice(0, 4).join('|'))
      .join('\n');
  expect(withoutTests(filled)).toBe(withoutTests(page));
});
