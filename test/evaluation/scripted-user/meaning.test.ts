import { expect, test } from 'vitest';
import { isWithin, readMeaning } from '../../../src/evaluation/scripted-user/meaning.ts';

test.each([
  ['delivery date', 'When was it delivered?'],
  ['mail', 'the e-mail address'],
  ['e_mail', 'your EMAIL'],
  ['post code', 'the ZIP code of the bill'],
  ['birthday', 'your date of birth'],
  ['amount', 'How much was it?'],
  ['last name', 'your surname'],
  ['bookings', 'this booking'],
])('"%s" is meant by "%s"', (key, asked) => {
  expect(isWithin(readMeaning(key), readMeaning(asked))).toBe(true);
});

test.each([
  ['room', 'broom'],
  ['order', 'Could you tell me the postcode?'],
  ['the', 'the'],
  ['', 'anything'],
])('"%s" is not meant by "%s"', (key, asked) => {
  expect(isWithin(readMeaning(key), readMeaning(asked))).toBe(false);
});
