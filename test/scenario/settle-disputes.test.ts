import { expect, test } from 'vitest';
import { settleDisputes } from '../../src/scenario/settle-disputes.ts';
import { importedResults } from '../../src/interop/imported-results.ts';
import { judgeResults } from '../../src/scenario/statistics/judge-results.ts';
import { sampleOf } from './results-of.ts';

const doubt = { by: 'table' as const, text: 'R6: 24 demanded, 30 charged.' };

function doubtfulResults() {
  const trials = [sampleOf('a', 'p'), sampleOf('b', 'p')].flatMap((sample) =>
    sample.trials.map((result) => ({ sample: sample.id, title: sample.id, category: 'c', result, why: [] })),
  );
  const results = importedResults(trials, 'one design');
  for (const trial of results.samples[1]?.trials ?? []) trial.disputed = [doubt];
  return { ...results, target: 0.75 };
}

test('what a person says about a doubtful verdict counts, and an open doubt stays', () => {
  const results = doubtfulResults();
  expect(judgeResults(results)).toBe('disputed');
  expect(settleDisputes(results, () => undefined)).toBe(results);
  const right = settleDisputes(results, () => ({ verdict: 'pass', by: 'user:ada', reason: 'it is right' }));
  expect(judgeResults(right)).toBe('met');
  expect(right.samples[1]).toMatchObject({ outcome: 'pass', why: ['settled as pass by user:ada: it is right'] });
  const wrong = settleDisputes(results, () => ({ verdict: 'fail', by: 'user:ada', reason: 'it is wrong' }));
  expect([judgeResults(wrong), wrong.passed, wrong.layers['4b']]).toEqual(['not met', 1, 1]);
  // A sample that a doubt does not touch is the same.
  expect(wrong.samples[0]).toBe(results.samples[0]);
});
