/** Which language a text is in, and what is a yes, a no and a rule of consent in each. */
import { expect, test } from 'vitest';
import { detectLanguage, findLanguage, LANGUAGES } from '../../../src/evaluation/scripted-user/languages.ts';
import { isYesOrNo, saysYes } from '../../../src/evaluation/scripted-user/sentences.ts';

test.each([
  ['Shall I go ahead?', 'Shall I go ahead?'],
  ['Soll ich das für Sie buchen?', 'Soll ich das tun?'],
  ['我可以继续吗？', '可以继续吗？'],
  ['', 'Shall I go ahead?'],
  ['Der Preis?', 'Shall I go ahead?'],
])('"%s" is in the language of "%s"', (text, asks) => {
  expect(detectLanguage(text).asks).toBe(asks);
});

test.each([
  ...[['Yes, please.', true, true] as const, ['ja', true, true] as const, ['好的，谢谢', true, true] as const],
  ...[['no', false, true] as const, ['Nein, danke.', false, true] as const, ['不，谢谢', false, true] as const],
  ...[['Fine glass', true, false] as const, ['不锈钢', false, false] as const, ['是非题', false, false] as const],
  ...[['Jaguar', false, false] as const, ['Nothing', false, false] as const],
])('%s: yes %s, a decision %s', (text, isYes, isDecision) => {
  expect([saysYes(text), isYesOrNo(text)]).toEqual([isYes, isDecision]);
});

test.each([
  'Nothing is changed before the customer has agreed.',
  'The agent asks the customer before it books.',
  'Ask for a confirmation before the order is changed.',
  'Vor jeder Buchung muss der Kunde ausdrücklich ja sagen; ohne Zustimmung wird nichts geändert.',
  '退款之前必须征得客户同意。',
])('a rule of consent: %s', (rule) => {
  expect(LANGUAGES.some(({ ruleOfConsent }) => ruleOfConsent.test(rule))).toBe(true);
});

test('no other rule is one', () => {
  const period = 'The period asked for must end before the licence of the driver does.';
  const others = ['The fee is 8 EUR.', period, 'Die Gebühr ist 8 Euro.', '费用是8元。'];
  expect(others.filter((rule) => LANGUAGES.some(({ ruleOfConsent }) => ruleOfConsent.test(rule)))).toEqual([]);
});

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
