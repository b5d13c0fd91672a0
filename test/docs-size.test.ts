/** The pages for users stay small enough to be read, and are written in whole sentences. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measureSentences, readProse, learnVerbs } from './support/prose.ts';

const USER_PAGES = globSync('docs/*.md').toSorted();
const READMES = ['README.md', 'README.zh-CN.md'];
const read = (path: string): string => readFileSync(path, 'utf8');
/** As `wc -w` counts: code, tables and addresses too. */
const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** The index and the glossary are looked up, not followed: they have neither an outcome nor a block. */
const LOOKED_UP = new Set(['docs/README.md', 'docs/glossary.md']);
const FOLLOWED = USER_PAGES.filter((path) => !LOOKED_UP.has(path));
/** Learned from all pages of the repository, so that a verb of one page is known on another. */
const VERBS = learnVerbs([...globSync('docs/**/*.md'), 'README.md'].map((path) => readProse(read(path))));

test('the pages for users have at most 35,000 words together', () => {
  const words = [...USER_PAGES, ...READMES].map((path) => countWords(read(path)));
  expect(words.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(35_000);
});

test('the README has at most 900 words, its code and its table included', () => {
  expect(countWords(read('README.md'))).toBeLessThanOrEqual(900);
});

test.each(USER_PAGES)('%s has at most 1,500 words', (path) => {
  expect(countWords(read(path))).toBeLessThanOrEqual(1500);
});

test.each(FOLLOWED)('%s opens with what its reader will have, and has a block that a test runs', (path) => {
  const [, opening = ''] = /^# .*\n\n([\s\S]*?)\n\n/.exec(read(path)) ?? [];
  expect(opening).toMatch(/\b(?:at the end|at its end|after (?:it|this page|these))\b/i);
  expect(opening).toMatch(/\byou(?:r)?\b/i);
  expect(read(path)).toMatch(/^```(?:sh|bash)(?: exit=\d+)?$/m);
});

test.each([...USER_PAGES, 'README.md'])(
  '%s has sentences of 22 words or fewer on average, and few fragments',
  (path) => {
    const { sentences, averageWords, fragments } = measureSentences(read(path), VERBS);
    expect(averageWords).toBeLessThanOrEqual(22);
    expect(fragments.length / Math.max(1, sentences), fragments.join('\n')).toBeLessThanOrEqual(0.05);
  },
);

test('a sentence without a verb is a fragment, wherever it stands', () => {
  const verbs = learnVerbs(['You can run it, and it will start. They must read the page.']);
  const page =
    '# A title\n\nIt starts the program. No key, no server.\n\n- Reads `a file`.\n- Fast and small.\n\n| a cell | another |\n';
  const { sentences, fragments, averageWords } = measureSentences(page, verbs);
  expect(sentences).toBe(4);
  expect(fragments).toEqual(['No key, no server.', 'Fast and small.']);
  expect(averageWords).toBe(3.25);
});
