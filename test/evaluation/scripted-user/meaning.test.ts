import { expect, test } from 'vitest';
import { isHeld } from '../../../src/evaluation/chooser/content-words.ts';
import { readMeaning } from '../../../src/evaluation/scripted-user/meaning.ts';

const isMeant = (key: string, asked: string): boolean => isHeld([...readMeaning(key)], [...readMeaning(asked)]);

test.each([
  ['e_mail', 'your e-mail'],
  ['amount', 'Is the fee too much?'],
  ['booking', 'about your bookings'],
  ['cancellation', 'Cancelling is possible.'],
  ['Name', 'Ihren Namen bitte'],
  ['agrees', 'Would you confirm it?'],
])('"%s" is meant by "%s"', (key, asked) => {
  expect(isMeant(key, asked)).toBe(true);
});

test.each([
  ['room', 'broom'],
  ['access', 'Do you accept it?'],
  ['order', 'Could you tell me the postcode?'],
  ['the', 'the'],
  ['', 'anything'],
])('"%s" is not meant by "%s"', (key, asked) => {
  expect(isMeant(key, asked)).toBe(false);
});
