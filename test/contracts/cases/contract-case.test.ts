/** The rules of a port are run on a fresh subject each, and a rule that is broken is heard of. */
import { expect, test } from 'vitest';
import { createCases, checksFor } from './contract-case.ts';

test('each rule gets a subject of its own, which is closed also when the rule is broken', async () => {
  const story: string[] = [];
  let opened = 0;
  const rules = {
    'is held': async (subject: number) => void story.push(`held by ${subject}`),
    'is broken': async (subject: number) => {
      throw new Error(`broken by ${subject}`);
    },
    ...checksFor(['a', 'b'], (value) => [
      `takes ${value}`,
      async (subject: number) => void story.push(value + subject),
    ]),
  };
  const cases = createCases(
    rules,
    async () => (opened += 1),
    async (subject) => void story.push(`closed ${subject}`),
  );
  expect(cases.map(({ title }) => title)).toEqual(['is held', 'is broken', 'takes a', 'takes b']);
  const ends = await Promise.all(cases.map(({ run }) => run().catch((error: Error) => error.message)));
  expect(ends).toEqual([undefined, 'broken by 2', undefined, undefined]);
  expect(story.toSorted()).toEqual(['a3', 'b4', 'closed 1', 'closed 2', 'closed 3', 'closed 4', 'held by 1']);
});
