import { expect, test } from 'vitest';
import { findUntrueAnswer } from '../../../../src/evaluation/proof/relations/write-relations.ts';
import { observeCall, type Run } from './observe-call.ts';

const { signal } = new AbortController();

/** Books a price and a fee, and answers with a number for both. */
const book =
  (paid_cents: number): Run =>
  (_input, world) => {
    const entries = world['entries'] as unknown[];
    entries.push({ what: 'price', cents: 1600 }, { what: 'fee', cents: 250 });
    return { ok: true, paid_cents };
  };

test('several numbers that are written may be told as their sum, and as no other number', async () => {
  const tell = async (paid: number) =>
    findUntrueAnswer(await observeCall('book', book(paid), { loan: 'L-1' }, { entries: [] }), signal);
  expect(await tell(1850)).toBeUndefined();
  expect(await tell(1600)).toBeUndefined();
  expect(await tell(1700)).toContain('it answers paid_cents 1700');
});
