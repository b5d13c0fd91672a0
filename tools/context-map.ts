/** Writes the last column of the map in docs/internals/context-map.md: the tests that cite a mechanism's rules. `npx node tools/context-map.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { citations } from './requirements.ts';

const DOC = 'docs/internals/context-map.md';
const [BEGIN, END] = ['<!-- map:begin -->', '<!-- map:end -->'];
const MOST = 4;

/** Rules, mechanism and files are written by hand; only the tests are found. */
export function fillMap(page: string): string {
  const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  const rows = page.slice(from, to).trim().split('\n').map(fillRow);
  return `${page.slice(0, from)}\n${rows.join('\n')}\n${page.slice(to)}`;
}

function fillRow(row: string): string {
  const cells = row.split('|').slice(1, -1);
  const ids = (cells[0] ?? '').match(/\bS\d\.\d+\b/g);
  if (ids === null) return row;
  const found = [...new Set(ids.flatMap((id) => citations(id)))].filter((path) => !path.startsWith('report/'));
  const shown = found.slice(0, MOST).map((path) => `\`test/${path}\``);
  const more = found.length > MOST ? ` and ${found.length - MOST} more` : '';
  return `|${cells.slice(0, 3).join('|')}| ${found.length === 0 ? 'none yet' : `${shown.join(' ')}${more}`} |`;
}

/** Every file that the page names in code marks. */
export function filesNamed(page: string): string[] {
  return [...page.matchAll(/`((?:src|test|config|prompts|bench|tools)\/[\w./-]+\.\w+)`/g)].map(([, path = '']) => path);
}

if (process.argv[1]?.endsWith('context-map.ts') === true) {
  writeFileSync(DOC, fillMap(readFileSync(DOC, 'utf8')));
  process.stdout.write(`${DOC} is written.\n`);
}
