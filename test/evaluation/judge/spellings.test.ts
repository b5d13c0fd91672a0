/** Other notations of one text, and phrases that are found in any of them. */
import { expect, test } from 'vitest';
import { holdsPhrase, listSpellings, type SpellingKind } from '../../../src/evaluation/judge/spellings.ts';

const texts = (text: string, kind: SpellingKind) =>
  listSpellings(text).flatMap((one) => (one.kind === kind ? [one.text] : []));

test('amounts: code, sign or word, before or after, with or without cents', () => {
  expect(texts('The fee is 8 EUR.', 'amount')).toEqual([
    'The fee is 8.00 EUR.',
    'The fee is EUR 8.00.',
    'The fee is €8.00.',
    'The fee is EUR 8.',
    'The fee is €8.',
    'The fee is 8 euros.',
  ]);
  expect(texts('$1,628.50 in all', 'amount')).toEqual([
    '1628.50 USD in all',
    'USD 1628.50 in all',
    '$1628.50 in all',
    '1628.50 dollars in all',
  ]);
  expect(texts('Das macht 8,50 €.', 'amount')).toContain('Das macht EUR 8,50.');
  expect(texts('费用是 8元。', 'amount')).toContain('费用是 ¥8。');
  expect(texts('Order W8 on floor 3, model EUR5X', 'amount')).toEqual([]);
});

test('dates and times: as numbers, as names, in both orders, by 12 and by 24 hours', () => {
  expect(texts('until 2026-03-05', 'date')).toEqual([
    'until 5 March 2026',
    'until March 5, 2026',
    'until 5th of March 2026',
    'until March 5th, 2026',
  ]);
  expect(texts('on March 22nd', 'date')).toEqual(['on 22 March', 'on March 22', 'on 22nd of March']);
  expect(texts('at 14:00 sharp', 'time')).toEqual(['at 2:00 pm sharp', 'at 2 pm sharp']);
  expect(texts('at 2:30 PM', 'time')).toEqual(['at 14:30', 'at 2:30 pm']);
  expect(texts('at 12 am', 'time')).toEqual(['at 00:00', 'at 12:00 am']);
  expect([...texts('logged 2026-03-05T14:00:00Z', 'time'), ...texts('13 pm', 'time')]).toEqual([]);
});

test('ids in small letters, everything in small letters, and other signs', () => {
  expect(texts("I've booked HW-2041.", 'id')).toEqual(["I've booked hw-2041."]);
  expect(texts("I've booked it.", 'case')).toEqual(["i've booked it."]);
  expect(texts("It's 8 EUR.", 'punctuation')).toEqual(['It’s **8 EUR**!']);
});

test.each([
  ['The fee is EUR 8.', '8 EUR', true],
  ['The fee is **8.00** EUR.', '8 EUR', true],
  ['That makes €8.00 in all.', '8 euro', true],
  ['It is over since 5 March 2026.', '2026-03-05', true],
  ['Come at 2 pm.', '14:00', true],
  ['It ended on the 19th of May.', '19 May', true],
  ['It ends on 24 Nov 2026.', '24 November 2026', true],
  ['It ends on Nov. 24, 2026.', '2026-11-24', true],
  ['It ends on 24 Dec 2026.', '24 November 2026', false],
  ['The fee is EUR 80.', '8 EUR', false],
  ['The fee is €8.50.', '8 EUR', false],
  ['The fee is €18.', '18.00 EUR', true],
  ['The fee is 18 EUR.', '8.00 EUR', false],
  ['It costs 8 USD.', '8 EUR', false],
  ['Come at 2 am.', '14:00', false],
  ['A two\u2011week pause', 'two-week', true],
  ['A two–week pause', 'two-week', true],
  ['Die Gebu\u0308hr', 'die Gebühr', true],
  ['Die Strasse ist gesperrt', 'Straße', true],
  ['费用是８元', '8元', true],
  ['re\u00ADfun\u200Bded', 'refunded', true],
])('"%s" holds "%s": %s', (text, phrase, held) => {
  expect(holdsPhrase(text, phrase)).toBe(held);
});

test.each([
  ['11 March 2026', '11th of March 2026'],
  ['12 March 2026', '12th of March 2026'],
  ['13 March 2026', '13th of March 2026'],
  ['21 March 2026', '21st of March 2026'],
  ['22 March 2026', '22nd of March 2026'],
  ['1 March 2026', '2026-03-01'],
  ['2026-12-31', 'December 31st, 2026'],
  ['the 3rd of May', 'the May 3'],
])('the day %s is also %s', (day, other) => {
  expect(texts(day, 'date')).toContain(other);
});

test.each(['2026-13-05', '2026-00-05', '2026-02-00', '32 March 2026', '0 March 2026', '2026-02-32'])(
  '%s is no day',
  (text) => {
    expect(texts(text, 'date')).toEqual([]);
  },
);

test.each([
  ['at 12:00', 'at 12 pm'],
  ['at 0:30', 'at 12:30 am'],
  ['at 1 pm', 'at 13:00'],
  ['at 12 am', 'at 00:00'],
  ['at 11:59', 'at 11:59 am'],
])('the time %s is also %s', (time, other) => {
  expect(texts(time, 'time')).toContain(other);
});

test('an hour that no clock shows is none, a currency without a sign has none, and a phrase may begin the text', () => {
  expect([texts('at 0 pm', 'time'), texts('at 13 pm', 'time')]).toEqual([[], []]);
  expect(texts('8 francs', 'amount')).toEqual(['8.00 CHF', 'CHF 8.00', '8 CHF', 'CHF 8']);
  expect(holdsPhrase('€8 is the fee.', '8 EUR')).toBe(true);
});

test('characters of other kinds say the same: dashes, letters in two parts, wide digits, marks that nobody sees', () => {
  const forms = texts('A two-week café stay.', 'characters');
  expect(forms).toContain('A two\u2011week café stay.');
  expect(forms).toContain('A two\u2013week café stay.');
  expect(forms).toContain('A two-week cafe\u0301 stay.');
  expect(texts('共30元', 'characters')).toEqual(['共３０元']);
  expect(texts('cancelled', 'characters')).toEqual(['canc\u00ADelled']);
  expect(texts('A two\u2011week stay', 'characters')).toContain('A two-week stay');
});

test('any currency with a sign of its own has its code and its sign; a word that is a code in capitals has none', () => {
  expect(texts('It costs 500 TRY.', 'amount')).toContain('It costs ₺500.00.');
  expect(texts('It costs ₺500.', 'amount')).toContain('It costs 500.00 TRY.');
  expect(texts('Please try 5 of them.', 'amount')).toEqual([]);
});
