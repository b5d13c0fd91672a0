import { expect, test } from 'vitest';
import { countUnscored, judgeResults } from '../../../src/scenario/statistics/judge-results.ts';
import { scoreSamples } from '../../../src/scenario/statistics/score.ts';
import { sampleOf } from '../results-of.ts';

function judge(outcomes: readonly string[], gate: 'rate' | 'lower-bound' = 'rate') {
  const samples = outcomes.map((own, index) => sampleOf(`s${index}`, own));
  return judgeResults({ ...scoreSamples(samples), samples }, { gate, target: 0.5 });
}

test('a target is met by a rate over all trials, and by nothing while one of them has no verdict', () => {
  expect(judge(['p', 'p', 'f'])).toBe('met');
  expect(judge(['p', 'f', 'f'])).toBe('not met');
  expect(judge(['p', 'p', 'f'], 'lower-bound')).toBe('not met');
  expect(judge(['p', 'p', 'u'])).toBe('incomplete');
  // The sample failed for certain, and yet a trial of it waits.
  expect(judge(['p', 'p', 'fu'])).toBe('incomplete');
  expect(judge(['p', ''])).toBe('incomplete');
  expect(countUnscored([sampleOf('a', 'pu'), sampleOf('b', 'uu'), sampleOf('c', '')])).toBe(4);
});
