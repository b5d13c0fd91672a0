import { expect, test } from 'vitest';
import { demandsLookup } from '../../../../../src/evaluation/proof/strength/measure-strength.ts';

test.each([
  'Before anything is booked the subject has looked up the serial number.',
  'The customer is identified first.',
  'A patient uploads it, and the agent looks again before it books.',
  'The agent looks with list_appointments before it confirms anything.',
  'The order is read before a refund is issued.',
  'Bevor etwas gebucht wird, ist die Nummer zu prüfen.',
  '退款之前必须先查询订单。',
])('%s', (text) => {
  expect(demandsLookup({ title: 'R', text })).toBe(true);
});

test.each([
  'A booking is cancelled at least 24 hours before the visit.',
  'The first repair is free.',
  'The customer can look up their own orders.',
])('%s demands none', (text) => {
  expect(demandsLookup({ title: 'R', text })).toBe(false);
});
