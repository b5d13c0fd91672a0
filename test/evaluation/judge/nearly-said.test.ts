/** The same in other words and notations; not the same in other things. */
import { expect, test } from 'vitest';
import { saysNearly } from '../../../src/evaluation/judge/sample-fault.ts';

test.each([
  ['I have refunded €38 to your card.', 'EUR 38.00'],
  ['It costs 38,00 euro.', '$38.00'],
  ['The 30 days are over.', 'thirty days'],
  ...['20 twenty', '30 thirty', '40 forty', '50 fifty', '60 sixty', '70 seventy', '80 eighty', '90 ninety'].map(
    (both): [string, string] => [`It costs ${both.slice(0, 2)} EUR.`, `${both.slice(3)} euro`],
  ),
  ['Your toothbrush was opened.', 'opened toothbrush'],
  ['A refund goes to your bank card.', 'refunded to the bank card'],
  ['You can renew it from tomorrow (24 Nov) on.', '24 November 2026'],
  ['It ends on the 3rd of Sept.', '3 September 2026'],
])('%j says as much as %j', (text, phrase) => {
  expect(saysNearly([text], phrase)).toBe(true);
});

test.each([
  ['I have refunded €42.90.', 'EUR 38.00'],
  ['All done.', 'bank card'],
  ['It is available.', 'not available'],
  ['38', '380'],
  ['anything', 'the'],
  ['From 24 November 2027 on.', '24 November 2026'],
  ['From 25 Nov on.', '24 November 2026'],
])('%j does not say %j', (text, phrase) => {
  expect(saysNearly([text], phrase)).toBe(false);
});
