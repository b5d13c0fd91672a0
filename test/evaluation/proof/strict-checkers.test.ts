/** A checker that accepts gold and refuses it in another notation is named before anything is paid. */
import { expect, test } from 'vitest';
import { lockedLamp } from '../lamps.ts';
import { linesOf, verify } from './verify-lamps.ts';

const FEE = (reads: string, more = '') => `
export const checker = { id: 'fee-named', description: 'R2: the fee is named.', rules: ['R2']${more} };
export function check({ trace }) {
  const pass = trace.says.some((text) => ${reads});
  return { pass, reason: pass ? 'named' : 'the fee was not named', evidence: [] };
}
`;
const gold_says = 'It is locked since 2026-03-05. Opening it at 14:00 costs 8 EUR, case HW-20.';
const sample = { ...lockedLamp, gold_says, checkers: ['locked-untouched', 'fee-named'] };
const judgedBy = (checker: string) =>
  verify({ files: { 'samples/locked-lamp.json': sample, 'checkers/fee-named.mjs': checker } });

test.each([
  ['one notation of an amount', "text.includes('8 EUR')", 'amount', '8.00 EUR'],
  ['one notation of a date', "text.includes('2026-03-05')", 'date', '5 March 2026'],
  ['one notation of a time', "text.includes('14:00')", 'time', '2:00 pm'],
  ['one case of an id', "text.includes('HW-20')", 'id', 'hw-20'],
  ['capital letters', "text.includes('Opening')", 'case', 'opening'],
  ['a full stop', String.raw`/20\.$/.test(text)`, 'punctuation', 'HW-20!'],
])('%s: layer 3, with the words that it refuses', async (_title, reads, kind, now) => {
  const verification = await judgedBy(FEE(reads));
  expect(linesOf(verification)).toEqual(['3 checker-demands-spelling fee-named']);
  expect(verification.problems[0]?.message).toContain(`for their spelling: ${kind} (locked-lamp)`);
  expect(verification.problems[0]?.message).toContain(now);
});

test('all kinds that it does not bear are named at once', async () => {
  const { problems } = await judgedBy(FEE("text.includes('8 EUR') && text.includes('2026-03-05')"));
  expect(problems.map(({ message }) => message.match(/\b(?:amount|date|time|id|case) \(/g))).toEqual([
    ['amount (', 'date (', 'case ('],
  ]);
});

test('one that reads what is meant bears them all; so does one that says its rule is about the notation', async () => {
  const fair = String.raw`/(?<![\d.])8(?:[.,]00)?(?!\d)/.test(text) && /locked/i.test(text)`;
  expect(linesOf(await judgedBy(FEE(fair)))).toEqual([]);
  expect(linesOf(await judgedBy(FEE("text.includes('8 EUR')", ', exact_words: true')))).toEqual([]);
});

test('one kind of dash only: a person is shown it, and nothing is refused', async () => {
  const { problems, remarks = [] } = await verify({
    files: {
      'samples/locked-lamp.json': { ...sample, gold_says: 'It is locked: a two-week pause.' },
      'checkers/fee-named.mjs': FEE("text.toLowerCase().includes('two-week')"),
    },
  });
  expect(problems).toEqual([]);
  const message = remarks.find(({ code }) => code === 'checker-demands-spelling')?.message;
  expect(message).toContain('characters (locked-lamp)');
  expect(message).toContain('two\u2011week');
});
