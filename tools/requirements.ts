/** Writes docs/requirements.md: each requirement, and the tests that cite its id. `npm run requirements`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DOC = 'docs/requirements.md';
const ROW = /^\| ((?:S\d|C)\.\d+) \| (.*?) \|/gm;

/** The ids and rules stand in the document itself; only the citations are made anew. */
export function readRules(text: string): [id: string, rule: string][] {
  return [...text.matchAll(ROW)].map((match) => [match[1] ?? '', match[2] ?? '']);
}

export function citations(id: string): string[] {
  const cited = new RegExp(`(?<![\\w.])${id.replace('.', '\\.')}(?![\\d])`);
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && cited.test(readFileSync(join('test', path), 'utf8')))
    .toSorted();
}

export function render(rules: readonly [id: string, rule: string][]): string {
  const rows = rules.map(([id, rule]) => {
    const tests = citations(id).map((path) => `[${path.replace(/\.test\.ts$/, '')}](../test/${path})`);
    return `| ${id} | ${rule} | ${tests.length > 0 ? tests.join(' · ') : '**not yet**'} |`;
  });
  const done = rows.filter((row) => !row.includes('**not yet**')).length;
  return [
    '# Requirements and their tests',
    '',
    `Every rule of the five source designs, with the tests that cite it: ${done} of ${rows.length} are cited. Made by \`npm run requirements\`; a test`,
    'fails when it is out of date.',
    '',
    '| id | rule | tests |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

if (process.argv[1]?.endsWith('requirements.ts') === true) {
  const source = process.argv[2] ?? DOC;
  writeFileSync(DOC, render(readRules(readFileSync(source, 'utf8'))));
  console.log(`${DOC} is written.`);
}
