import { expect, test } from 'vitest';
import {
  formatAgreement,
  formatDontKnow,
  formatFact,
  formatYesOrNo,
} from '../../../src/evaluation/scripted-user/sentences.ts';

test('a fact is said as a person says it', () => {
  expect(formatFact('order_number', 'HW-1', { isAlone: false, question: '' })).toBe('My order number is HW-1.');
  expect(formatFact('the colour', 'blue', { isAlone: false, question: '' })).toBe('The colour is blue.');
  expect(formatFact('reason', 'It is broken', { isAlone: false, question: '' })).toBe('It is broken.');
});

test('a fact answers yes or no', () => {
  expect(formatYesOrNo('room', '12', 'Is your room 12?')).toBe('Yes, that is right: 12.');
  expect(formatYesOrNo('room', '12', 'Is your room 14?')).toBe('No, my room is 12.');
  expect(formatYesOrNo('agrees', 'no', 'Shall I?')).toBe('No, thank you.');
  expect(formatYesOrNo('agrees', 'No, not for that price.', 'Shall I?')).toBe('No, not for that price.');
});

test('agreement fits the question', () => {
  expect(formatAgreement('Are you sure?')).toBe('Yes, I am sure.');
  expect(formatDontKnow('that it is reserved', '')).toBe("I'm afraid I don't know that.");
});
