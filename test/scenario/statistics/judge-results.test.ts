import { expect, test } from 'vitest';
import {
  countPassedRange,
  countUnscored,
  isSampleDisputed,
  judgeResults,
} from '../../../src/scenario/statistics/judge-results.ts';
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

test('a doubtful verdict counts for neither side until a person settles it', () => {
  const doubt = { by: 'statement' as const, text: 'It said "I changed your number"; no call changed it.' };
  const dispute = (sample: ReturnType<typeof sampleOf>) => ({
    ...sample,
    trials: sample.trials.map((trial) => ({ ...trial, disputed: [doubt] })),
  });
  const judgeAll = (samples: ReturnType<typeof sampleOf>[], target: number) =>
    judgeResults({ ...scoreSamples(samples), samples }, { gate: 'rate', target });
  const samples = [sampleOf('a', 'p'), dispute(sampleOf('b', 'p')), dispute(sampleOf('c', 'f')), sampleOf('d', 'f')];
  expect(samples.map(isSampleDisputed)).toEqual([false, true, true, false]);
  expect(countPassedRange(samples)).toEqual({ low: 1, high: 3, total: 4 });
  expect(judgeAll(samples, 0.25)).toBe('met');
  expect(judgeAll(samples, 0.5)).toBe('disputed');
  expect(judgeAll(samples, 0.75)).toBe('disputed');
  expect(judgeAll(samples, 0.8)).toBe('not met');
});

test('a failure is certain as soon as one failed trial is not in doubt', () => {
  const sample = sampleOf('a', 'ffp');
  const [first, ...others] = sample.trials;
  if (first === undefined) throw new Error('no trial');
  const doubt = [{ by: 'table' as const, rule: 'R1', text: 'R1: 24 demanded, 24 charged.' }];
  expect(isSampleDisputed({ ...sample, trials: [{ ...first, disputed: doubt }, ...others] })).toBe(false);
});
