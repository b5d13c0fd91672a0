import { expect, test } from 'vitest';
import type { PlayedGold } from '../../../../src/evaluation/proof/relations/observed-calls.ts';
import { findUnlikeUse } from '../../../../src/evaluation/proof/relations/used-numbers.ts';

/** A gold path that reads what is owed, and books an amount. */
function play(sample: string, told: Record<string, number>, cents: number): PlayedGold {
  const call = { step: 1, is_error: false, input: { loan: 'L-1' }, change: [] };
  const entry = { op: 'add' as const, path: '/paid/-', value: { loan: 'L-1', cents } };
  const calls = [
    { ...call, tool: 'read', output: { ok: true, ...told } },
    { ...call, step: 2, tool: 'book', input: { loan: 'l-1', cents }, output: { ok: true }, change: [entry] },
  ];
  return { sample, gold: { before: {}, after: {}, calls, says: [], stop: 'done' }, stage: {} as never };
}

const alike = [play('one', { owed: 400 }, 400), play('two', { owed: 700 }, 700)];

test('a number that is used everywhere, and is another one in one gold path, is named with that path', () => {
  const found = findUnlikeUse('read', [...alike, play('odd', { owed: 450 }, 200)]);
  expect(found).toContain(
    'it answers owed 450 to step 1: read {"loan":"L-1"} in odd, where gold then has 200 as cents',
  );
});

test('the least of what is told, a part of it, and another field that is always right show nothing', () => {
  const least = play('least', { owed: 450, limit: 300 }, 300);
  const part = play('part', { owed: 1000 }, 333);
  expect(findUnlikeUse('read', [...alike, least, part])).toBeUndefined();
  const due = (sample: string, owed: number, cents: number) => play(sample, { owed, due: cents }, cents);
  expect(findUnlikeUse('read', [due('one', 400, 400), due('two', 700, 700), due('odd', 450, 200)])).toBeUndefined();
  expect(findUnlikeUse('read', [play('one', { owed: 400 }, 400), play('odd', { owed: 450 }, 200)])).toBeUndefined();
});

test('a fee that is booked beside a price is a number of its own', () => {
  const both = play('both', { owed: 60 }, 60);
  const [read, book] = both.gold.calls;
  const price = { op: 'add' as const, path: '/paid/-', value: { loan: 'L-1', cents: 160 } };
  const calls = [read, { ...book, change: [price, ...(book?.change ?? [])] }] as typeof both.gold.calls;
  expect(findUnlikeUse('read', [...alike, { ...both, gold: { ...both.gold, calls } }])).toBeUndefined();
});
