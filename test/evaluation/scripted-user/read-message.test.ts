import { expect, test } from 'vitest';
import { offersChoice, readMessage } from '../../../src/evaluation/scripted-user/read-message.ts';

test.each([
  ['What is the room number?', ['fact']],
  ['I still need your postcode.', ['fact']],
  ['I need to look that up.', []],
  ['You need not do anything.', []],
  ['Please send the blue one back.', ['deed']],
  ['Please call 112 now.', ['deed']],
  ['Shall I book it?', ['consent']],
  ['Dr. Sole has a time on Monday. Is that all right?', ['consent']],
  ['Did the light go on?', ['yes-no']],
  ['Anything else?', ['more']],
  ['Can I help you with anything else?', ['more']],
  ['Let me know your e-mail. Shall I go on then?', ['fact', 'consent']],
  ['May I pass the file, which has the invoice in it, to Nordfracht?', ['consent']],
  ['May I pass the file which holds the invoice to Nordfracht?', ['consent']],
  ['The seal differs, so may we send somebody who looks at it?', ['consent']],
  ['Would you like me to book the room where you stayed last time?', ['consent']],
  ['Do you agree that the file, which holds the invoice, goes to Nordfracht?', ['consent']],
  ['Darf ich die Akte, welche die Rechnung enthält, an Nordfracht geben?', ['consent']],
  ['Soll ich es so machen, wie Sie gesagt haben?', ['consent']],
  ['Shall I book it, and which name should I use?', ['fact']],
  ['Shall I put them on the evening boat instead, which leaves at six?', ['consent']],
  ['May I use the card that you gave us, which ends in 44?', ['consent']],
  ['What shall I put on the label?', ['fact']],
  ['Under which name shall I put it?', ['fact']],
  ['Which room do you want, and shall I book it?', ['fact']],
  ['May I ask which card you used?', ['fact']],
  ['Can I check what your postcode is?', ['fact']],
  ['Darf ich fragen, welche Karte Sie haben?', ['fact']],
  ['Darf ich wissen, wann Sie geboren sind?', ['fact']],
])('%s', (said, kinds) => {
  expect(readMessage(said).questions.map(({ kind }) => kind)).toEqual(kinds);
});

test('an abbreviation ends no sentence, and "a second one" is no wait', () => {
  expect(readMessage('Dr. Sole is away. A second one is not possible.')).toMatchObject({
    sentences: ['Dr. Sole is away.', 'A second one is not possible.'],
    holds: false,
  });
});

test('a choice is not a yes or no', () => {
  const [choice, plain] = readMessage('Would you like tea or coffee? Shall I bring it, yes or no?').questions;
  expect([choice, plain].map((one) => one !== undefined && offersChoice(one))).toEqual([true, false]);
});
