/** Writes docs/internals/requirements.md: each requirement, the tests that see it on the wire, and those of the parts. `npm run requirements`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DOC = 'docs/internals/requirements.md';
const ROW = /^\| ((?:S\d|C)\.\d+) \| (.*?) \|/gm;

/** The ids and rules stand in the document itself; only the citations are made anew. */
export function readRules(text: string): [id: string, rule: string][] {
  return [...text.matchAll(ROW)].map((match) => [match[1] ?? '', match[2] ?? '']);
}

/** Each test and helper with its text, read once. */
const TESTS = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join('test', path), 'utf8') }));

export function citations(id: string): string[] {
  const cited = new RegExp(`(?<![\\w.])${id.replace('.', '\\.')}(?![\\d])`);
  return TESTS.filter(({ text }) => cited.test(text)).map(({ path }) => path);
}

/** Rules that no request can show, each with the reason. */
const ELSEWHERE = 'test/wire/not-on-the-wire.json';

export function notOnTheWire(): Record<string, string> {
  return JSON.parse(readFileSync(ELSEWHERE, 'utf8')) as Record<string, string>;
}

export function render(rules: readonly [id: string, rule: string][]): string {
  const reasons = notOnTheWire();
  const links = (paths: readonly string[]) =>
    paths.map((path) => `[${path.replace(/\.test\.ts$/, '')}](../../test/${path})`).join(' · ');
  const found = rules.map(([id, rule]) => {
    const [wire, core] = [true, false].map((on) => citations(id).filter((path) => path.startsWith('wire/') === on));
    const reason = reasons[id] === undefined ? undefined : `not applicable: ${reasons[id]}`;
    return { id, rule, wire: links(wire ?? []) || reason, core: links(core ?? []) };
  });
  const seen = found.filter(({ wire }) => wire?.startsWith('[') === true).length;
  const cited = found.filter(({ wire, core }) => wire?.startsWith('[') === true || core !== '').length;
  return [
    '# Requirements and their tests',
    '',
    `Every rule of the five source designs, with the tests that cite it: ${cited} of ${found.length} are cited. *Wire*: seen in the requests of a run`,
    `that is started from the command line: ${seen} are, ${Object.keys(reasons).length} cannot be and say why. *Core*: tests of the parts. Made by`,
    '`npm run requirements`; a test fails when it is out of date.',
    '',
    '| id | rule | wire | core |',
    '|---|---|---|---|',
    ...found.map(
      ({ id, rule, wire = '**not yet**', core }) => `| ${id} | ${rule} | ${wire} | ${core || '**not yet**'} |`,
    ),
    '',
  ].join('\n');
}

if (process.argv[1]?.endsWith('requirements.ts') === true) {
  const source = process.argv[2] ?? DOC;
  writeFileSync(DOC, render(readRules(readFileSync(source, 'utf8'))));
  console.log(`${DOC} is written.`);
}
