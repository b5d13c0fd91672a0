/** The tables of docs/import-from.md are made of the rows that tests try out; `UPDATE_TABLES=1` writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

const PAGE = 'docs/import-from.md';

export function expectTable(source: string, rows: readonly { there: string; here: string }[]): void {
  const page = readFileSync(PAGE, 'utf8');
  const head = `| in ${source} | here |\n|---|---|\n`;
  const start = page.indexOf(head) + head.length;
  expect(start, `${PAGE} has a table of ${source}`).toBeGreaterThanOrEqual(head.length);
  const table = rows.map(({ there, here }) => `| ${there} | ${here} |\n`).join('');
  const end = page.indexOf('\n\n', start) + 1;
  if (process.env['UPDATE_TABLES'] === '1') writeFileSync(PAGE, page.slice(0, start) + table + page.slice(end));
  else expect(page.slice(start, end)).toBe(table);
}
