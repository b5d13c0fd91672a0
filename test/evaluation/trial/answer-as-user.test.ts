import { expect, test } from 'vitest';
import { answerAsUser } from '../../../src/evaluation/trial/answer-as-user.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { turnOn } from '../lamps.ts';

const user = (knows: Record<string, string>) =>
  answerAsUser(Sample.parse({ ...turnOn, user: { says_first: 'Hello', knows } }));

test('tells what it is asked for by name, once, whatever the case', () => {
  const asked = user({ order: 'HW-1', postcode: '10435', email: 'a@b.c' });
  expect(asked.reply('Your ORDER and your Postcode, please.')).toBe('order: HW-1\npostcode: 10435');
  expect(asked.reply('Thank you. The order again? And the email.')).toBe('email: a@b.c');
  expect(asked.reply('Your order, postcode and email?')).toBeUndefined();
});

test('has nothing to say to a text that asks for nothing it knows', () => {
  expect(user({ order: 'HW-1' }).reply('All is done.')).toBeUndefined();
  expect(user({}).reply('Your order?')).toBeUndefined();
});
