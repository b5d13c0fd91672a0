import { expect, test } from 'vitest';
import { nearestWord } from '../../../src/evaluation/components/schema-issues.ts';

const known = ['gold', 'gold_says', 'must_not_call', 'user', 'wrong'];

test.each([
  ['goldd', 'gold'],
  ['goldSays', 'gold_says'],
  ['must_not_cal', 'must_not_call'],
  ['USER', 'user'],
])('%s was meant to be %s', (word, meant) => {
  expect(nearestWord(word, known)).toBe(meant);
});

test.each(['', 'temperature', 'x', 'zzzz'])('%j was meant to be none of them', (word) => {
  expect(nearestWord(word, known)).toBeUndefined();
});
