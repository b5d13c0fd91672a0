/** Answers that come again: by their whole key, as they were, and no more than there is room for. */
import { expect, test } from 'vitest';
import { getAnswerMemory, createAnswerMemory } from '../../../src/evaluation/proof/answer-memory.ts';
import { trustedSandbox } from '../lamps.ts';

test('an answer is found by its whole key, and nobody can change it', () => {
  const memory = createAnswerMemory(1000);
  const answer = { value: [1] };
  memory.remember(['run', 'a', 'b'], answer);
  answer.value.push(2);
  expect(memory.recall(['run', 'a', 'b'])).toEqual({ value: [1] });
  expect(memory.recall(['run', 'ab'])).toBeUndefined();
  memory.remember(['threw'], null);
  expect(memory.recall(['threw'])).toBeNull();
});

test('where there is no room, the answer goes that was used longest ago', () => {
  const memory = createAnswerMemory(24);
  memory.remember(['a'], 'aaaaaaaa');
  memory.remember(['b'], 'bbbbbbbb');
  memory.recall(['a']);
  memory.remember(['c'], 'cccccccc');
  expect([memory.recall(['a']), memory.recall(['b']), memory.recall(['c'])]).toEqual([
    'aaaaaaaa',
    undefined,
    'cccccccc',
  ]);
});

test('every sandbox has its own', () => {
  const sandbox = trustedSandbox();
  getAnswerMemory(sandbox).remember(['a'], 1);
  expect(getAnswerMemory(sandbox).recall(['a'])).toBe(1);
  expect(getAnswerMemory(trustedSandbox()).recall(['a'])).toBeUndefined();
});
