import { expect, test } from 'vitest';
import { proveUsers } from '../../../src/evaluation/proof/prove-user.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { turnOn } from '../lamps.ts';

const live = new AbortController().signal;
const QUESTION = 'May I pass the file, with the invoice in it, to Nordfracht?';

function found(user: object, answer: string) {
  const gold = [{ says: QUESTION }, { user: answer }];
  const sample = Sample.parse({ ...turnOn, gold, user: { says_first: 'My vases are broken.', ...user } });
  return proveUsers([{ sample, world: {} }], 'auto', live);
}

test('a sample whose user says the opposite of gold is refused, with the words of both', async () => {
  const knows = { 'agrees to pass the file with the invoice to Nordfracht': 'yes' };
  expect(await found({ knows }, 'No, please not.')).toEqual([
    {
      layer: 4,
      code: 'user-unlike-gold',
      component: 'turn-on',
      sample: 'turn-on',
      message: expect.stringMatching(
        /Nordfracht\?" and its user answers "No, please not\.", but .* says "Yes, please\./,
      ),
    },
  ]);
});

test('other words for the same, and a question that asks back, are none of it', async () => {
  expect(await found({}, 'Yes, do that.')).toEqual([]);
  expect(await found({ knows: { 'agrees to Nordfracht': 'No.' } }, 'No, please not.')).toEqual([]);
  expect(await found({ acts: [{ when: 'Nordfracht', calls: [], says: 'Do what you must.' }] }, 'As you like.')).toEqual(
    [],
  );
});

test('nobody looks at a user that a model plays', async () => {
  expect(await found({ simulator: 'model' }, 'No, please not.')).toEqual([]);
});
