import { expect, test } from 'vitest';
import { modelUser } from '../../../src/evaluation/trial/model-user.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { facts, say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { turnOn } from '../lamps.ts';

const { signal } = new AbortController();

/** What a user says whose model gives these answers; `(done)` and `(silent: …)` are the two ways to end. */
function userWith(...answers: string[]) {
  const model = scriptedModel(answers.map((text) => say(text)));
  const sample = Sample.parse({ ...turnOn, user: { says_first: 'Hello', knows: { order: 'HW-2041' } } });
  const settings = { name: 'm', price: facts().price, prompt: 'Play.', tools: [], maxTokens: 100 };
  const user = modelUser({ ...settings, model }, sample);
  const act = async () => ({ output: null, is_error: false });
  const hear = async (said: string): Promise<string> => {
    const { says, end } = await user.answer({ said, act, leftMs: 60_000 }, signal);
    return says ?? (end === undefined ? '(done)' : `(${end.stop}: ${end.detail})`);
  };
  return { hear, model };
}

test('a yes beside the end mark is thrown away and asked for again, so that the subject hears it', async () => {
  const { hear, model } = userWith('Yes, please cancel it. [end]', 'Yes, please cancel it.', '[end]');
  expect(await hear('Shall I cancel it for 8 EUR?')).toBe('Yes, please cancel it.');
  expect(await hear('It is cancelled.')).toBe('(done)');
  expect(JSON.stringify(model.requests[1])).toContain('must stay for what comes of it');
  expect(JSON.stringify(model.requests[2])).not.toContain('thrown away');
});

test.each([
  ['I am cancelling it now.', 'Yes, please cancel it.'],
  ['Ich storniere das jetzt.', 'Ja, bitte.'],
  ['我现在取消。', '好的，请取消。'],
])('a yes that nobody asked for is not said: %s', async (said, yes) => {
  expect(await userWith(yes, 'Thank you.').hear(said)).toBe('Thank you.');
});

test.each(['Please provide your order.', 'Bitte teilen Sie mir Ihre Order mit.', 'I still need your order.'])(
  'an end at a request without a question mark is thrown away: %s',
  async (said) => {
    expect(await userWith('[end]', 'HW-2041.').hear(said)).toBe('HW-2041.');
    expect(await userWith('[end]').hear('Please keep your order in mind.')).toBe('(done)');
  },
);

test('an amount that nobody named is not said', async () => {
  expect(await userWith('I pay 45 euros at most.', 'I do not know.').hear('What would you pay?')).toBe(
    'I do not know.',
  );
});

test('a user that only says goodbye comes to an end', async () => {
  const { hear } = userWith(...Array.from({ length: 5 }, () => 'Bye! [end]'));
  const heard = [];
  for (let turn = 0; turn < 5; turn += 1) heard.push(await hear('Goodbye!'));
  expect(heard).toEqual(['Bye!', 'Bye!', 'Bye!', '(done)', '(done)']);
});

test('an answer with an invented number is thrown away whole and asked for again', async () => {
  const { hear, model } = userWith('My zip code is 90210.', 'I do not know my zip code.', 'It is HW-2041.');
  expect(await hear('What is your zip code?')).toBe('I do not know my zip code.');
  expect(await hear('And the order?')).toBe('It is HW-2041.');
  expect(JSON.stringify(model.requests.at(-1))).not.toContain('90210');
});

test('after three of them the trial ends at the question, and is unscored for its user', async () => {
  const { hear, model } = userWith('It is 90210.', 'It is 90211.', 'It is 90212.');
  expect(await hear('What is your zip code?')).toBe('(no_move: What is your zip code? (nobody told the user 90212))');
  expect(model.requests).toHaveLength(3);
});

test('a number that the subject said may be said again', async () => {
  const { hear } = userWith('Yes, 4711 is right.');
  expect(await hear('Is it case 4711?')).toBe('Yes, 4711 is right.');
});
