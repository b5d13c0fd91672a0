import { expect, test } from 'vitest';
import { scriptedUser, silentUser } from '../../../src/evaluation/trial/simulated-user.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { turnOn } from '../lamps.ts';

const { signal } = new AbortController();
const act = async () => ({ output: null, is_error: false });

const userWith = (more: object) => {
  const user = scriptedUser(Sample.parse({ ...turnOn, user: { says_first: 'Hello', ...more } }));
  return async (said: string) => (await user.answer({ said, act, leftMs: 1000 }, signal)).says;
};

test('a scripted user answers with the facts whose key occurs in the text, each once, in any case', async () => {
  const says = userWith({ knows: { order: 'HW-1', postcode: '10435', email: 'a@b.c' } });
  expect(await says('Your ORDER and your Postcode, please.')).toBe('order: HW-1\npostcode: 10435');
  expect(await says('Thank you. The order again? And the email.')).toBe('email: a@b.c');
  expect(await says('Your order, postcode and email?')).toBeUndefined();
});

test('a scripted user has no answer to a text without a known key', async () => {
  expect(await userWith({ knows: { order: 'HW-1' } })('All is done.')).toBeUndefined();
  expect(await userWith({ knows: {} })('Your order?')).toBeUndefined();
});

test('an act comes before a fact, with its calls, and only once', async () => {
  const acts = [{ when: 'Restart', calls: [{ tool: 'restart', args: { now: true } }], says: 'I did it.' }];
  const user = scriptedUser(Sample.parse({ ...turnOn, user: { says_first: 'Hello', knows: { restart: 'no' }, acts } }));
  const made: unknown[] = [];
  const recording = async (call: unknown) => {
    made.push(call);
    return { output: null, is_error: false };
  };
  const says = async () => (await user.answer({ said: 'Please restart.', act: recording, leftMs: 1000 }, signal)).says;
  expect(await says()).toBe('I did it.');
  expect(await says()).toBe('restart: no');
  expect(made).toEqual([{ tool: 'restart', args: { now: true } }]);
});

test('a silent user never answers', async () => {
  expect((await silentUser.answer({ said: 'Your order?', act, leftMs: 1000 }, signal)).says).toBeUndefined();
});
