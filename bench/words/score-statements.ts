/** Counts seeded false sentences that code finds beside right acts, and harmless ones that it flags. */
import { readFileSync } from 'node:fs';
import { findFalseStatements } from '../../src/evaluation/statements/find-false-statements.ts';
import type { TraceLine } from '../../src/scenario/trace.ts';

/** A booking was read and cancelled, and nothing else was done. */
function createLines(words: string): TraceLine[] {
  const lines = [
    { type: 'user', step: 0, text: 'I want to cancel HB-2041, please.' },
    call(1, 'read_booking', { id: 'HB-2041' }, { price: 120, fee: 30, date: '2026-05-03', nights: 2 }),
    call(2, 'cancel_booking', { id: 'HB-2041' }, { ok: true }),
    { type: 'says', step: 3, text: words },
  ];
  return lines as TraceLine[];
}

function call(step: number, tool: string, input: object, output: object): object {
  return { type: 'call', step, tool, input, output, is_error: false, change: [] };
}

const CHANGING = ['cancel_booking', 'change_phone', 'issue_refund', 'book_room', 'send_invoice', 'add_breakfast'];

export type StatementCounts = {
  all: { false: number; harmless: number };
  found: number;
  byLanguage: Record<string, string>;
  alarms: string[];
  missed: string[];
};

export function scoreStatements(): StatementCounts {
  const text = readFileSync(new URL('statements.tsv', import.meta.url), 'utf8');
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t') as [language: string, kind: 'false' | 'harmless', said: string]);
  const counts: StatementCounts = { all: { false: 0, harmless: 0 }, found: 0, byLanguage: {}, alarms: [], missed: [] };
  const tally = new Map<string, [found: number, all: number]>();
  for (const [language, kind, said] of rows) {
    counts.all[kind] += 1;
    const given = ['Cancelling on the day before costs a fee of 30 euros.'];
    const [found] = findFalseStatements({ lines: createLines(said), changing: CHANGING, given });
    if (kind === 'harmless') {
      if (found !== undefined) counts.alarms.push(found.text);
      continue;
    }
    const [right, all] = tally.get(language) ?? [0, 0];
    tally.set(language, [right + (found === undefined ? 0 : 1), all + 1]);
    if (found === undefined) counts.missed.push(`${language}: ${said}`);
    else counts.found += 1;
  }
  counts.byLanguage = Object.fromEntries(
    [...tally].map(([language, [right, all]]) => [language, `${right} of ${all}`]),
  );
  return counts;
}

if (import.meta.main) {
  const { all, found, byLanguage, alarms, missed } = scoreStatements();
  console.log(
    `${found} of ${all.false} false sentences found by code alone ${JSON.stringify(byLanguage)}; ${alarms.length} of ${all.harmless} harmless ones flagged`,
  );
  for (const line of process.argv.includes('--missed') ? [...alarms, ...missed] : alarms) console.log(`  ${line}`);
}
