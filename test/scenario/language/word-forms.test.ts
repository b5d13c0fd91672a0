import { expect, test } from 'vitest';
import {
  areWordForms,
  canCompareWords,
  shareStem,
  significantWords,
} from '../../../src/scenario/language/word-forms.ts';

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
  ['حجز', 'لحجز', true],
  ['حجز', 'إلغاء', false],
])('%s and %s', (one, other, are) => {
  expect(areWordForms(one, other)).toBe(are);
  expect(areWordForms(other, one)).toBe(are);
});

test.each([
  ['The visit costs 95 euros.', true],
  ['Die Gebühr wird vorher genannt.', true],
  ['Стоимость называется заранее.', true],
  ['退款必须在三十天内办理。', false],
  ['환불은 30일 이내에 가능합니다.', false],
  ['يجب الموافقة قبل الدفع', false],
  ['调用 issue_refund 之前必须征得客户同意', false],
])('whether words can be compared: %s', (text, can) => {
  expect(canCompareWords(text)).toBe(can);
});

test.each([
  ['numarası', 'numaranız', true],
  ['tarihi', 'tarihiniz', true],
  ['salon', 'salonumuzu', true],
  ['süre', 'sürsün', false],
  ['kart', 'karar', false],
  ['room 12', 'room 13', false],
])('%s and %s: one stem is %s', (one, other, are) => {
  expect(shareStem(one, other)).toBe(are);
  expect(shareStem(other, one)).toBe(are);
});
