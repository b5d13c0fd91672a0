import { expect, test } from 'vitest';
import { formatDontKnow, formatFact, formatYesOrNo } from '../../../src/evaluation/scripted-user/sentences.ts';

test('a fact is said as a person says it', () => {
  expect(formatFact('order_number', 'HW-1', { isAlone: false, question: '' })).toBe('My order number is HW-1.');
  expect(formatFact('the colour', 'blue', { isAlone: false, question: '' })).toBe('The colour is blue.');
  expect(formatFact('reason', 'It is broken', { isAlone: false, question: '' })).toBe('It is broken.');
});

test('a bare yes or no is said in a sentence, any other as it stands', () => {
  expect(formatYesOrNo('no', 'Shall I?')).toBe('No, thank you.');
  expect(formatYesOrNo('no', 'Soll ich die Buchung stornieren?')).toBe('Nein, danke.');
  expect(formatYesOrNo('No, not for that price.', 'Shall I?')).toBe('No, not for that price.');
});

test('what the user does not know is named as the sample names it', () => {
  expect(formatDontKnow('the door code', '')).toBe("The door code? I'm afraid I don't know that.");
  expect(formatDontKnow('der Türcode', 'Wie lautet Ihr Code?')).toBe('Der Türcode? Das weiß ich leider nicht.');
});
