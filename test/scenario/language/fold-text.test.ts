import { expect, test } from 'vitest';
import { foldText, toPlainWords } from '../../../src/scenario/language/fold-text.ts';

test.each([
  ['a non-breaking hyphen', 'two\u2011week'],
  ['a hyphen of typesetters', 'two\u2010week'],
  ['an en dash', 'two\u2013week'],
  ['a minus', 'two\u2212week'],
  ['full width', 'ｔｗｏ－ｗｅｅｋ'],
  ['a soft hyphen', 'two-we\u00ADek'],
  ['a zero-width space', 'two-\u200Bweek'],
  ['emphasis and case', '**Two-Week**'],
])('%s is no other text', (_, text) => {
  expect(foldText(text)).toBe('two-week');
});

test('composed and decomposed letters, and ß, are the same', () => {
  expect(foldText('Gebu\u0308hr')).toBe(foldText('GEBÜHR'));
  expect(foldText('Straße')).toBe(foldText('STRASSE'));
  expect(foldText('İPTAL KAYDI')).toBe(foldText('iptal kaydı'));
  expect(foldText('“it’s”')).toBe('"it\'s"');
});

test('words keep the marks of scripts that need them', () => {
  expect(toPlainWords('order_number: “A-12”')).toBe('order number a 12');
  expect(toPlainWords('धनवापसी।')).toBe('धनवापसी');
  expect(toPlainWords('번호는 M-1002입니다')).toBe('번호는 m 1002 입니다');
});

test('digits of every script are the same numbers', () => {
  expect(foldText('٦٠ يورو, ६० यूरो, ６０ユーロ')).toBe('60 يورو, 60 यूरो, 60ユーロ');
});
