import { expect, test } from 'vitest';
import { isShort, listEnumerations, listParagraphs } from '../../../../src/gate/rules/gaps/list-enumerations.ts';

const listItems = (text: string): string[][] => listEnumerations({ path: 'a.md', text }).map(({ items }) => items);

test('reads the columns of a table without its head', () => {
  expect(listItems('| kind | price |\n|---|---|\n| Basic | 19 |\n| Plus | 29 |')).toEqual([
    ['Basic', 'Plus'],
    ['19', '29'],
  ]);
});

test('reads list items, also over two lines, and ends a list at the sentence below it', () => {
  expect(listItems('It pays for\n\n- broken glass,\n- a flat\n  tyre\nWe are patient with all.')).toEqual([
    ['broken glass', 'a flat tyre'],
  ]);
});

test('tells a short item from a statement', () => {
  expect(isShort('a flat tyre', 4)).toBe(true);
  expect(isShort('what nobody could have known before', 4)).toBe(false);
  expect(isShort('更换车辆', 2)).toBe(true);
});

test('cuts each sentence of a paragraph into its parts, however long', () => {
  const text = 'People ring to have a piano tuned or a key mended.\nNobody waits.';
  expect(listParagraphs({ path: 'a.md', text })).toEqual([
    {
      file: 'a.md',
      line: 1,
      sentences: [
        {
          text: 'People ring to have a piano tuned or a key mended.',
          parts: ['People ring to have a piano tuned', 'a key mended'],
        },
        { text: 'Nobody waits.', parts: ['Nobody waits'] },
      ],
    },
  ]);
});

test('ends a list where a second "and" after its commas begins another clause', () => {
  expect(listItems('We take breaks, leaks and noise and send a team.')).toEqual([['We take breaks', 'leaks', 'noise']]);
  expect(listItems('Lost and late parcels, broken ones and wrong ones.')).toEqual([
    ['Lost', 'late parcels', 'broken ones', 'wrong ones'],
  ]);
});

test.for([
  ['Readers extend a loan, reserve a book, or pay a fee.', ['Readers extend a loan', 'reserve a book', 'pay a fee']],
  [
    'Kunden melden einen Schaden, einen Verlust oder eine Frage.',
    ['Kunden melden einen Schaden', 'einen Verlust', 'eine Frage'],
  ],
  ['Ils veulent annuler, échanger ou céder.', ['Ils veulent annuler', 'échanger', 'céder']],
  ['可以更改地址、更换车辆和注销保单，并回答问题。', ['可以更改地址', '更换车辆', '注销保单']],
  ['可以取衣、改日期，或者索赔衣物。', ['可以取衣', '改日期', '索赔衣物']],
  ['لحجز موعد أو تأجيل موعد أو إلغاء موعد', ['لحجز موعد', 'تأجيل موعد', 'إلغاء موعد']],
] as const)('cuts a sentence by the words for "and" and "or" of its language: %s', ([text, items]) => {
  expect(listItems(text)).toEqual([items]);
});

test('takes no word for "or" of a language that lacks the letters of the text', () => {
  expect(listItems('Zamawiają nagrobek, proszą o odnowienie, proszą o przesunięcie. Są mili.')).toEqual([
    ['Zamawiają nagrobek', 'proszą o odnowienie', 'proszą o przesunięcie'],
  ]);
});
