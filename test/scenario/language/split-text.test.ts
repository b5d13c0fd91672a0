import { expect, test } from 'vitest';
import { endsSentence, listWords, splitSentences, splitWords } from '../../../src/scenario/language/split-text.ts';

test.each([
  ['Dr. Sole is away. It costs 8.50 EUR! Shall I?', ['Dr. Sole is away.', 'It costs 8.50 EUR!', 'Shall I?']],
  ['费用是8元。可以继续吗？好的！', ['费用是8元。', '可以继续吗？', '好的！']],
  ['यह हो गया। क्या मैं जाऊँ?', ['यह हो गया।', 'क्या मैं जाऊँ?']],
  ['هل تريد ذلك؟ نعم.', ['هل تريد ذلك؟', 'نعم.']],
  ['- one\n- two', ['- one', '- two']],
])('%s', (text, sentences) => {
  expect(splitSentences(text)).toEqual(sentences);
});

test('the end of a sentence is that of its script', () => {
  for (const text of ['Yes.', '在家。', 'नहीं।', '“Go!”', 'Well …']) expect(endsSentence(text), text).toBe(true);
  for (const text of ['Yes', '在家', '8.5']) expect(endsSentence(text), text).toBe(false);
});

test('words are cut where no spaces do, and join to the text again', () => {
  const text = '客户可以在三十天内退款 for EUR 8.';
  expect(splitWords(text).join('')).toBe(text);
  expect(splitWords(text).length).toBeGreaterThan(8);
  expect(listWords('退款必须同意')).toEqual(['退款', '必须', '同意']);
});
