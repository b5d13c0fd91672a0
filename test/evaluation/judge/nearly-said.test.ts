/** The same in other words and notations; not the same in other things. */
import { expect, test } from 'vitest';
import { saysNearly } from '../../../src/evaluation/judge/nearly-said.ts';

test.each([
  ['I have refunded €38 to your card.', 'EUR 38.00'],
  ['It costs 38,00 euro.', '$38.00'],
  ['The 30 days are over.', 'thirty days'],
  ['Your toothbrush was opened.', 'opened toothbrush'],
  ['A refund goes to your bank card.', 'refunded to the bank card'],
])('%j says as much as %j', (text, phrase) => {
  expect(saysNearly([text], phrase)).toBe(true);
});

test.each([
  ['I have refunded €42.90.', 'EUR 38.00'],
  ['All done.', 'bank card'],
  ['It is available.', 'not available'],
  ['38', '380'],
  ['anything', 'the'],
])('%j does not say %j', (text, phrase) => {
  expect(saysNearly([text], phrase)).toBe(false);
});
