import { expect, test } from 'vitest';
import type { Sample } from '../../../src/scenario/sample.ts';
import { findNewNumber, listUnknown, readNumbers } from '../../../src/evaluation/chooser/content-words.ts';

test.each([
  ['3,000 and 3000', [3000]],
  ["1.250.000, 1'250'000", [1_250_000]],
  ['1,200.50 or 1200.5', [1200.5]],
  ['0.125, 12,5 and 7', [0.125, 12.5, 7]],
  ['３，０００円', [3000]],
  ['2026-06-10', [2026, 6, 10]],
  ['12345,678', [12_345.678]],
])('the numbers of %s', (text, numbers) => {
  expect([...readNumbers(text)]).toEqual(numbers);
});

test('an amount with a separator is the amount of the sample', () => {
  const sample: Pick<Sample, 'user' | 'gold' | 'gold_says'> = {
    user: { says_first: 'Cancel it.', knows: { fee: '3000 yen' }, does_not_know: [], stops_when: '', acts: [] },
    gold: [],
    gold_says: '',
  };
  expect(findNewNumber('The fee is 3,000 yen. Do you agree?', { sample })).toBeUndefined();
  expect(findNewNumber('The fee is 4,000 yen. Do you agree?', { sample })).toBe(4000);
});

test('a word is unknown when neither the sample nor grammar has it', () => {
  const user = {
    says_first: 'Cancel my booking.',
    knows: { fee: '30 euros' },
    does_not_know: [],
    stops_when: '',
    acts: [],
  };
  const talk = { sample: { user, gold: [], gold_says: '' } };
  expect(listUnknown('There is a fee of 30 euros for the booking.', talk)).toEqual([]);
  expect(listUnknown('There is a fee of 30 euros a night.', talk)).toEqual(['night']);
});
