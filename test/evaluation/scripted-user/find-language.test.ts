import { expect, test } from 'vitest';
import { findLanguage } from '../../../src/evaluation/scripted-user/find-language.ts';

test.each([
  ['What is your order number?', 'Yes, please.'],
  ['Wie lautet Ihre Kundennummer?', 'Ja, bitte.'],
  ['您同意吗？', '好的，谢谢。'],
  ['Czy mam anulować zamówienie?', undefined],
  ['ご注文番号を教えてください。', undefined],
  ['Pouvez-vous me donner votre numéro ?', undefined],
])('%s', (text, yes) => {
  expect(findLanguage(text)?.yes).toBe(yes);
});
