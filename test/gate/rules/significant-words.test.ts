import { expect, test } from 'vitest';
import { areWordForms, significantWords } from '../../../src/gate/rules/design-checks.ts';

test('fillers and short words carry nothing; scripts without spaces count whole', () => {
  expect(significantWords('Before a Visit is booked, the price must be said 退款')).toEqual([
    'visit',
    'booked',
    'price',
    'said',
    '退款',
  ]);
});

test.each([
  ['book', 'booked', true],
  ['issue', 'issuing', true],
  ['clear', 'clearly', true],
  ['contact', 'contract', false],
  ['refund', 'refuse', false],
  ['serial', 'service', false],
  ['visit', 'visit', true],
  ['check', 'checking', true],
  ['check', 'checkings', false],
])('%s and %s', (one, other, are) => {
  expect(areWordForms(one, other)).toBe(are);
  expect(areWordForms(other, one)).toBe(are);
});
