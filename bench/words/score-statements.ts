/** Counts seeded false sentences that code finds beside right acts, and harmless ones that it flags. */
import { readFileSync } from 'node:fs';
import { findFalseStatements } from '../../src/evaluation/statements/find-false-statements.ts';
import type { TraceLine } from '../../src/scenario/trace.ts';

/** A booking was read and cancelled, and nothing else was done. */
export function createLines(words: string): TraceLine[] {
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

/** Tools that change something, described in the language of the talk. */
const CHANGING: Record<string, Record<string, string>> = {
  en: {
    cancel_booking: 'Cancels a booking.',
    change_phone: 'Changes the phone number of a guest.',
    issue_refund: 'Issues a refund to the card of a guest.',
    book_room: 'Books a room.',
    send_invoice: 'Sends an invoice by e-mail.',
    add_breakfast: 'Adds breakfast to a booking.',
  },
  de: {
    cancel_booking: 'Storniert eine Buchung.',
    change_phone: 'Ändert die Telefonnummer eines Gastes.',
    issue_refund: 'Erstattet Geld auf die Karte.',
    book_room: 'Bucht ein Zimmer.',
    send_invoice: 'Sendet eine Rechnung per E-Mail.',
    add_breakfast: 'Fügt einer Buchung Frühstück hinzu.',
  },
  zh: {
    cancel_booking: '取消一个预订。',
    change_phone: '更改客人的电话号码。',
    issue_refund: '办理退款。',
    book_room: '预订房间。',
    send_invoice: '发送发票。',
    add_breakfast: '为预订添加早餐。',
  },
};

export type StatementCounts = {
  all: { false: number; harmless: number };
  found: number;
  byLanguage: Record<string, string>;
  alarms: string[];
  missed: string[];
};

export function scoreStatements(names = ['statements.tsv', 'later-statements.tsv']): StatementCounts {
  const rows = names
    .flatMap((name) =>
      readFileSync(new URL(name, import.meta.url), 'utf8')
        .trimEnd()
        .split('\n'),
    )
    .map((line) => line.split('\t') as [language: string, kind: 'false' | 'harmless', said: string]);
  const counts: StatementCounts = { all: { false: 0, harmless: 0 }, found: 0, byLanguage: {}, alarms: [], missed: [] };
  const tally = new Map<string, [found: number, all: number]>();
  for (const [language, kind, said] of rows) {
    counts.all[kind] += 1;
    const changing = Object.entries(CHANGING[language] ?? {}).map(([name, description]) => ({ name, description }));
    const given = ['Cancelling on the day before costs a fee of 30 euros.'];
    const [found] = findFalseStatements({ lines: createLines(said), changing, given });
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
  for (const name of ['statements.tsv', 'later-statements.tsv', 'attack-statements.tsv']) {
    const { found, all, alarms } = scoreStatements([name]);
    console.log(`${name}: ${found} of ${all.false} found, ${alarms.length} of ${all.harmless} flagged`);
  }
  const { all, found, byLanguage, alarms, missed } = scoreStatements();
  console.log(
    `${found} of ${all.false} false sentences found by code alone ${JSON.stringify(byLanguage)}; ${alarms.length} of ${all.harmless} harmless ones flagged`,
  );
  for (const line of process.argv.includes('--missed') ? [...alarms, ...missed] : alarms) console.log(`  ${line}`);
}
