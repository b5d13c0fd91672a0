/** Every reference in code, tests and docs can be opened with this repository and the public web alone. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const FOLDERS = ['src', 'test', 'docs', 'bench', 'tools', 'agents', 'prompts', 'config', 'examples'];
const PAGES = ['README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', 'AGENTS.md'].filter((path) => existsSync(path));
const TEXT = /\.(?:ts|mjs|js|md|ya?ml|py)$/;
const CASES = 'docs/internals/compaction-cases.md';
/** T and Y with a number, but no time of day such as T12:00. */
const CASE = /(?<![\w#.{}-])[TY][1-9]\d?(?!\w|:\d)/g;
const REQUIREMENT = /(?<![\w.])(?:S\d|C)\.\d+/g;
/** A page and the sections that are cited of it: `docs/internals/api-rules.md §2.5, §10`. */
const SECTIONS = /(?:docs\/(?:internals\/)?)?([\w-]+\.md)\)?((?:,? (?:and )?§[\d.]*\d)+)/g;
/** Notes of one machine: nobody else has them. */
const PRIVATE = new Set(['DESIGN.md', 'REQUIREMENTS.md', 'NOTES.md', 'messages-api', 'durable-runs']);

type Text = { path: string; text: string };

const read = (path: string): Text => ({ path, text: readFileSync(path, 'utf8') });

const all: readonly Text[] = [
  ...PAGES,
  ...FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => TEXT.test(path) && !path.includes('node_modules'))
      .map((path) => join(folder, path)),
  ),
]
  .filter((path) => path !== 'test/references.test.ts')
  .map(read);

const pageOf = (path: string): string => readFileSync(path, 'utf8');
/** Sections are cited by the name of their page, which is one for users or one for builders. */
const findPage = (name: string): string =>
  [`docs/${name}`, `docs/internals/${name}`].find((path) => existsSync(path)) ?? `docs/${name}`;
const cases = [...pageOf(CASES).matchAll(/^\| ([TY]\d+) \|.*\| (.*?) \|$/gm)];

/** All lines of comments and docs in one, so that a citation may be broken over two lines. */
const flat = (text: string): string => text.replaceAll(/\n\s*(?:\*|\/\/|#)? ?/g, ' ');

function findAll(pattern: RegExp, known: (found: RegExpExecArray) => boolean, texts = all): string[] {
  return texts.flatMap(({ path, text }) =>
    [...flat(text).matchAll(pattern)].filter((found) => !known(found)).map(([found]) => `${path}: ${found}`),
  );
}

test('every page that is named exists', () => {
  const wrong = findAll(/(?<![\w./-])docs\/[\w/-]+\.md/g, ([path]) => existsSync(path));
  expect(wrong).toEqual([]);
});

test('every file of src and test that a page names exists', () => {
  const pages = all.filter(({ path }) => path.endsWith('.md'));
  const wrong = findAll(/(?<![\w./-])(?:src|test)\/[\w./-]+\.(?:ts|mjs)\b/g, ([path]) => existsSync(path), pages);
  expect(wrong).toEqual([]);
});

test('every link between pages leads to a file', () => {
  const wrong = all
    .filter(({ path }) => path.endsWith('.md') && (path.startsWith('docs/') || !path.includes('/')))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(dirname(path), target)))
        .map((target) => `${path} -> ${target}`),
    );
  expect(wrong).toEqual([]);
});

test('the index of decisions has every decision by its title', () => {
  const folder = 'docs/decisions';
  const pages = readdirSync(folder).filter((name) => name.startsWith('2026-'));
  const index = readFileSync(join(folder, 'README.md'), 'utf8').split('\n');
  const lines = pages.map((name) => `- [${/^# (.*)$/m.exec(pageOf(join(folder, name)))?.[1]}](${name})`);
  expect(lines.filter((line) => !index.includes(line))).toEqual([]);
});

test('every section that is cited is a heading of its page', () => {
  const wrong = findAll(SECTIONS, ([, page = '', sections = '']) => {
    const headings = new Set([...pageOf(findPage(page)).matchAll(/^#+ §([\d.]*\d) /gm)].map(([, number]) => number));
    return [...sections.matchAll(/§([\d.]*\d)/g)].every(([, number]) => headings.has(number));
  });
  expect(wrong).toEqual([]);
});

test('every quoted heading stands in its page', () => {
  const wrong = findAll(/(docs\/[\w/-]+\.md), "([^"]+)"/g, ([, page = '', heading = '']) =>
    pageOf(page)
      .split('\n')
      .some((line) => line.startsWith('#') && line.endsWith(` ${heading}`)),
  );
  expect(wrong).toEqual([]);
});

test('no section is cited without its page', () => {
  // Designs among the fixtures have paragraphs of their own.
  const rest = all
    .filter(({ path }) => path !== 'docs/internals/api-rules.md' && !path.startsWith('test/fixtures/'))
    .map(({ path, text }) => ({ path, text: flat(text).replaceAll(SECTIONS, '') }));
  const wrong = findAll(/§.{0,30}/g, () => false, rest);
  expect(wrong, 'write the page before it: docs/internals/api-rules.md §2.5').toEqual([]);
});

test('every id of a case has its row in docs/internals/compaction-cases.md', () => {
  const known = new Set(cases.map(([, id]) => id));
  const numbers = (letter: string, last: number) => Array.from({ length: last }, (_, n) => `${letter}${n + 1}`);
  expect(new Set([...numbers('T', 36), ...numbers('Y', 12)])).toEqual(known);
  expect(findAll(CASE, ([id]) => known.has(id))).toEqual([]);
});

test('a file of src names the page of the cases where it cites one', () => {
  const wrong = all.filter(({ path, text }) => path.startsWith('src/') && text.search(CASE) >= 0);
  const nameless = wrong.filter(({ text }) => !text.includes(CASES)).map(({ path }) => path);
  expect(nameless, `write "${CASES} T1" where the file cites a case first`).toEqual([]);
});

test('every test that the page of the cases names exists', () => {
  const titles = all.flatMap(({ path, text }) => (path.startsWith('test/') ? [text] : [])).join('\n');
  const gone = cases.flatMap(([, id, title = '']) => (titles.includes(title) ? [] : [`${id}: ${title}`]));
  expect(gone, `the last column of ${CASES} holds a part of a test title`).toEqual([]);
});

test('every id of a requirement has its row in docs/internals/requirements.md', () => {
  const known = new Set(
    [...pageOf('docs/internals/requirements.md').matchAll(/^\| ((?:S\d|C)\.\d+) \|/gm)].map(([, id]) => id),
  );
  expect(findAll(REQUIREMENT, ([id]) => known.has(id))).toEqual([]);
});

test('no private note is cited, and what lies beside the checkout is optional', () => {
  const cited = findAll(/\w[\w-]*\.md\b|messages-api|durable-runs/g, ([name]) => !PRIVATE.has(name));
  const beside = all.filter(({ text }) => /\.\.\/shared(?![\w-])/.test(text) && !/\boptional\b(?!\()/i.test(text));
  expect([...cited, ...beside.map(({ path }) => `${path}: say that ../shared is optional`)]).toEqual([]);
});
