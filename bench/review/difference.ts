/** How long it takes to compare two designs of 5 000 lines, and what a reviewer is shown of it. */
import { compareDesigns } from '../../src/gate/compare-designs.ts';
import { median, row, timed, type Row } from '../queue/measure.ts';
import { longDesigns } from './large-design.ts';

const LINES = 5000;
const TRIES = 5;
const MOST_MS = 300;

const SHARES = [
  ['1 % of the lines differ', 0.01],
  ['10 % of the lines differ', 0.1],
  ['every other line differs', 0.5],
  ['every line differs', 1],
] as const;

export async function difference(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, share] of SHARES) {
    const [before, after] = longDesigns(LINES, share);
    const times: number[] = [];
    let shown = '';
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      times.push(
        await timed(async () => {
          const { rules, diff } = compareDesigns(before, after);
          const lines = diff.split('\n').filter((line) => /^[-+](?![-+]{2} )/.test(line)).length;
          shown = `${rules.length} rules, ${/too large/.test(diff) ? 'says that it is too large' : `${lines} lines`}`;
        }),
      );
    }
    rows.push(
      row(
        `two designs of ${LINES} lines, ${name}`,
        `${median(times).toFixed(0)} ms (${shown})`,
        `≤ ${MOST_MS} ms`,
        median(times) <= MOST_MS,
      ),
    );
  }
  return rows;
}
