import { expect, test } from 'vitest';
import { mayAskForConsent, listOptions, readMessage } from '../../../src/evaluation/scripted-user/read-message.ts';

test.each([
  ['What is the room number?', ['fact']],
  ['I need to look that up.', []],
  ['You need not do anything.', []],
  ['Please send the blue one back.', ['request']],
  ['Please call 112 now.', ['request']],
  ['Shall I book it?', ['consent']],
  ['Dr. Sole has a time on Monday. Is that all right?', ['consent']],
  ['Did the light go on?', ['yes-no']],
  ['Anything else?', ['more']],
  ['Can I help you with anything else?', ['more']],
  ['Before anything else, who are you?', ['fact']],
  ['Let me know your e-mail. Shall I go on then?', ['request', 'consent']],
  ['Shall I book it, and which name should I use?', ['fact']],
  ['What shall I put on the label?', ['fact']],
  ['May I ask which card you used?', ['fact']],
  ['Can I check what your postcode is?', ['fact']],
  ['Darf ich fragen, welche Karte Sie haben?', ['fact']],
  ['Darf ich wissen, wann Sie geboren sind?', ['fact']],
  ['Give me a second.', []],
  ['Moment, das System lädt.', []],
])('%s', (said, kinds) => {
  expect(readMessage(said).questions.map(({ kind }) => kind)).toEqual(kinds);
});

test.each([
  ['Reply "yes" and I will cancel it.', true],
  ['Sobald Sie zustimmen, storniere ich.', true],
  ['如果您同意，我就取消。', true],
  ['I have cancelled your booking.', false],
  ['Ich habe das für Sie storniert.', false],
  ['预订已取消。', false],
  ['Potwierdzam, że opłata wynosi 30 zł.', true],
])('"%s" may ask for a yes: %s; in a language that is not read it always may', (sentence, may) => {
  expect(mayAskForConsent(sentence)).toBe(may);
});

test('an abbreviation ends no sentence, and what is done now is a wait only at the end', () => {
  expect(readMessage('Dr. Sole is away. A second one is not possible.')).toMatchObject({
    sentences: ['Dr. Sole is away.', 'A second one is not possible.'],
    holds: false,
  });
  expect(readMessage('I found it. One moment.').holds).toBe(true);
});

test('a choice is not a yes or no', () => {
  const [choice, plain] = readMessage('Would you like tea or coffee? Shall I bring it, yes or no?').questions;
  expect([choice, plain].map((one) => listOptions(one?.text ?? '').length)).toEqual([2, 1]);
});
