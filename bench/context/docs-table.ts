/** Writes the measured table into docs/internals/context-measured.md, between its two marks and nowhere else. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Row } from './row.ts';
import { tableOf } from './table.ts';
import type { Target } from './targets.ts';

const PAGE = new URL('../../docs/internals/context-measured.md', import.meta.url).pathname;
const [BEGIN, END] = ['<!-- bench:begin -->', '<!-- bench:end -->'];

export function writeDocs(rows: readonly Row[], targets: readonly Target[], pauses: readonly Row[]): string {
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`docs/internals/context-measured.md has no marks ${BEGIN} and ${END}`);
  writeFileSync(PAGE, `${page.slice(0, from + BEGIN.length)}\n${tableOf(rows, targets, pauses)}\n${page.slice(to)}`);
  return 'docs/internals/context-measured.md';
}
