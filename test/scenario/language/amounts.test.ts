import { expect, test } from 'vitest';
import { replaceAmounts, findAmountInWords } from '../../../src/scenario/language/amounts.ts';

const more = (text: string): string => replaceAmounts(text, (value, decimals) => (value + 7).toFixed(decimals));

test.each([
  ['The fee is 8 EUR.', 'The fee is 15 EUR.'],
  ['It is €8.50 in all.', 'It is €15.50 in all.'],
  ['CHF 120', 'CHF 127'],
  ['费用是8元。', '费用是15元。'],
  ['退还50人民币给您', '退还57人民币给您'],
  ['料金は500円です', '料金は507円です'],
  ['₹300 or ¥40', '₹307 or ¥47'],
  ['12,50 Euro', '19,50 Euro'],
  ['1,250.00 dollars', '1257.00 dollars'],
  ['It is 38.00 in all', 'It is 45.00 in all'],
  ['Ücret 175 TL tutar.', 'Ücret 182 TL tutar.'],
  ['To kosztuje 30 zł.', 'To kosztuje 37 zł.'],
])('%s', (text, other) => {
  expect(more(text)).toBe(other);
});

test.each(['Order HW-2041 of 3 May 2026', 'version 3.14.15', 'in 30 days, at 12:30', '第3条'])(
  '%s is no amount',
  (text) => {
    expect(more(text)).toBe(text);
  },
);

test('an amount in words has a currency, and no digits beside it', () => {
  expect(findAmountInWords('That costs a hundred euros.')).toBe('euros');
  expect(findAmountInWords('费用是六十元。')).toBe('元');
  expect(findAmountInWords('That costs 100 euros, or € 90.')).toBeUndefined();
});
