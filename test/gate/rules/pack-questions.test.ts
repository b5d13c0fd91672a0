import { expect, test } from 'vitest';
import { packQuestions } from '../../../src/gate/rules/pack-questions.ts';

test.each([
  ['word for word', ['May a manager pay?'], ['May a manager pay?'], ['May a manager pay?']],
  ['numbered twice', ['1. May a manager pay?'], ['Q1: may a manager pay'], ['May a manager pay?']],
  [
    'in short and in full',
    ['Does day 30 count as a day within the time?'],
    ['R3: Does day 30 count as a day within the time? The sources differ.'],
    ['R3: Does day 30 count as a day within the time? The sources differ.'],
  ],
  ['another number in it', ['Up to 100 EUR?'], ['Up to 200 EUR?'], ['Up to 100 EUR?', 'Up to 200 EUR?']],
  ['a short beginning of another', ['Who pays?'], ['Who pays? And when?'], ['Who pays?', 'Who pays? And when?']],
  [
    'in full and in short',
    ['Does day 30 count as a day within the time? The sources differ.'],
    ['Does day 30 count as a day within the time?'],
    ['Does day 30 count as a day within the time? The sources differ.'],
  ],
  [
    'as a beginning of twenty letters',
    ['May a manager pay it?'],
    ['May a manager pay it? Or not?'],
    ['May a manager pay it? Or not?'],
  ],
  ['with blanks around it', [' 1. \u2003 Who pays? '], ['Who pays?'], ['Who pays?']],
  ['no question at all', ['  ', '- '], ['Why?'], ['Why?']],
])('a question that comes twice, %s', (_name, file, submission, asked) => {
  expect(packQuestions(file, submission)).toEqual(asked);
});
