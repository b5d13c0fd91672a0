/** Names and comments of the code as an engineer would write them, and the first pages a stranger reads: short sentences, in two languages. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const PAGES = [
  ...[
    'README.md',
    'SECURITY.md',

    'docs/tutorial.md',
    'docs/concepts.md',
    'docs/evaluate-my-agent.md',
  ],
  ...['docs/write-a-policy.md', 'docs/import-from.md', 'docs/versioning.md', 'docs/reviewing.md', 'docs/ci.md'],
  ...['docs/context-library.md', 'docs/subjects.md', 'docs/notices.md', 'docs/operations.md', 'docs/mcp.md'],
];

/** Words as they are read: without blocks of code, pictures and addresses; code within a line is one word. */
const prose = (page: string): string =>
  page
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`[^`]*`/g, 'code');

const countWords = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** A paragraph, a list item, a heading and a row of a table each begin a sentence; a cell is one of its own. */
function sentencesOf(page: string): { text: string; words: number; cell: boolean }[] {
  return prose(page)
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) |[|#>])|(?<=^#.*)\n/m)
    .filter((block) => !block.trim().startsWith('#'))
    .flatMap((block) => {
      const cell = block.trim().startsWith('|');
      const parts = cell ? block.split('|') : block.split(/(?<=[.!?])\s+/);
      return parts.map((text) => ({ text: text.trim(), words: countWords(text), cell }));
    })
    .filter(({ words }) => words > 0);
}

/** Cells are fragments: they may not be long either, but do not make the text around them look shorter. */
function medianWords(page: string): number {
  const lengths = sentencesOf(page).flatMap(({ words, cell }) => (cell ? [] : [words]));
  return lengths.toSorted((one, other) => one - other)[Math.floor(lengths.length / 2)] ?? 0;
}

test('sentences are found in paragraphs, lists and cells, and not in code', () => {
  const page =
    '# A heading\nOne two\nthree. Four `five six`!\n- [seven](eight.md) nine\n\n| ten | eleven twelve |\n|---|---|\n';
  const found = sentencesOf(`${page}\`\`\`sh\nno words here\n\`\`\`\n`).map(({ words, cell }) => [words, cell]);
  expect(found).toEqual([...[3, 2, 2].map((words) => [words, false]), [1, true], [2, true]]);
  expect(medianWords('A long one that has eight words here. Short.\n- Three words here.')).toBe(3);
});

test.each(PAGES)('%s: half of the sentences have at most 18 words, none has more than 40', (path) => {
  const page = readFileSync(path, 'utf8');
  expect(medianWords(page)).toBeGreaterThan(4);
  expect(medianWords(page)).toBeLessThanOrEqual(18);
  expect(sentencesOf(page).flatMap(({ text, words }) => (words > 40 ? [text] : []))).toEqual([]);
});

test('the README has at most 900 words', () => {
  expect(countWords(prose(readFileSync('README.md', 'utf8')))).toBeLessThanOrEqual(900);
});

test('the Chinese README has the commands, links, pictures, headings and rows of the English one, in the same order', () => {
  const [english, chinese] = ['README.md', 'README.zh-CN.md'].map((path) => {
    const page = readFileSync(path, 'utf8');
    const code = [...page.matchAll(/^```[\s\S]*?^```$/gm)].map(([block]) => block.replaceAll(/ +#.*$/gm, ''));
    const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
    const shape = [...page.matchAll(/^(?:#+|\||\d\.)(?= )/gm)].map(([mark]) => mark);
    return { code, links, shape };
  });
  expect(english?.links[0]).toBe('README.zh-CN.md');
  expect(chinese?.links[0]).toBe('README.md');
  expect({ ...chinese, links: chinese?.links.slice(1) }).toEqual({ ...english, links: english?.links.slice(1) });
});

/** Declared at the top of a file: `function name` and `const name = (…) =>`. */
const FUNCTIONS = [
  /^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\*?\s+(\w+)/gm,
  /^(?:export\s+)?const\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^;{]*?\)|\w+)\s*(?::[^=]+)?=>/gm,
];
const RIDDLE = /^(?:Who|Whoever|What|Of|That|Those)\b(?!.*\?)/;

/** Shares of function names and of comment lines, counted as in any TypeScript tree: https://github.com/sindresorhus/execa has 1.4 % of one word and none in Of. */
function measureNames(texts: readonly string[]): {
  functions: number;
  oneWord: number;
  endsInOf: number;
  riddles: number;
} {
  const names = texts.flatMap((text) =>
    FUNCTIONS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name)),
  );
  const comments = texts
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => /^\s*(?:\/\*\*\s?|\/\/\s?|\*\s)(.*)/.exec(line)?.[1] ?? [])
    .filter((comment) => comment.replaceAll(/[\s*/]/g, '') !== '');
  const share = (part: readonly string[], all: readonly string[]): number => part.length / Math.max(1, all.length);
  return {
    functions: names.length,
    oneWord: share(
      names.filter((name) => /^[a-z]+$/.test(name)),
      names,
    ),
    endsInOf: share(
      names.filter((name) => name.endsWith('Of')),
      names,
    ),
    riddles: share(
      comments.filter((comment) => RIDDLE.test(comment)),
      comments,
    ),
  };
}

test('functions are named by a verb and a noun, and comments begin with the thing', () => {
  const sample =
    'function plain() {}\nconst rowOf = (x) => x;\nexport async function readPlan() {}\n/** Who reads this. */\n// A reader.\n';
  expect(measureNames([sample])).toEqual({ functions: 3, oneWord: 1 / 3, endsInOf: 1 / 3, riddles: 1 / 2 });
  const files = globSync('{src,packages}/**/*.{ts,mts,js,mjs}').filter((path) => !/\.(?:test|spec|d)\./.test(path));
  const measured = measureNames(files.map((path) => readFileSync(path, 'utf8')));
  expect(measured.functions).toBeGreaterThan(1000);
  expect(measured.oneWord).toBeLessThanOrEqual(0.06);
  expect(measured.endsInOf).toBeLessThanOrEqual(0.01);
  expect(measured.riddles).toBeLessThanOrEqual(0.01);
});

/** Names of exported types that stand in more than one file, with these files. */
function findSharedTypes(files: ReadonlyMap<string, string>): Record<string, string[]> {
  const places = new Map<string, Set<string>>();
  for (const [path, text] of files)
    for (const [, name = ''] of text.matchAll(/^export (?:type|interface|class) (\w+)/gm))
      places.set(name, (places.get(name) ?? new Set()).add(path));
  return Object.fromEntries(
    [...places].filter(([, paths]) => paths.size > 1).map(([name, paths]) => [name, [...paths]]),
  );
}

test('the name of an exported type has one meaning', () => {
  const twice = new Map([
    ['a.ts', 'export type Cell = 1;\nexport type Row = 2;'],
    ['b.ts', 'export interface Cell {}\ntype Row = 3;'],
  ]);
  expect(findSharedTypes(twice)).toEqual({ Cell: ['a.ts', 'b.ts'] });
  const paths = globSync('{src,packages}/**/*.{ts,mts}').filter(
    (path) => !/node_modules|\.(?:test|spec|d)\./.test(path),
  );
  expect(paths.length).toBeGreaterThan(500);
  expect(findSharedTypes(new Map(paths.map((path) => [path, readFileSync(path, 'utf8')])))).toEqual({});
});
