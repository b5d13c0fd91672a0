/** A comparison is told in one sentence: how far apart the rates are, and whether that may be chance. */
import { expect, test } from 'vitest';
import { describeComparison } from '../../../src/report/run/comparison-text.ts';
import { baselineTallies, compareWithBaseline } from '../../../src/scenario/statistics/compare-baseline.ts';
import { sampleOf } from '../../scenario/results-of.ts';

const DIGESTS = { designDigest: 'd', componentsDigest: 'c' };

/** Compares samples of one trial each: so many of so many pass. */
function tell([was, wasTotal]: [number, number], [is, isTotal]: [number, number], componentsDigest = 'c'): string {
  const side = (passed: number, total: number) =>
    Array.from({ length: total }, (_, index) => sampleOf(`s${index}`, index < passed ? 'p' : 'f'));
  const before = { ...DIGESTS, samples: baselineTallies({ samples: side(was, wasTotal) }) };
  return describeComparison(compareWithBaseline(before, { ...DIGESTS, componentsDigest, samples: side(is, isTotal) }));
}

test.each([
  [
    'lower, by so little that it may be chance',
    [12, 16],
    [11, 16],
    /^6 points lower \(68\.8 % of trials pass, 75 % before\): with 16 samples that may be chance \(p 0\.\d{3}\)\.$/,
  ],
  [
    'higher, and never the same',
    [9, 16],
    [12, 16],
    /^19 points higher \(75 % of trials pass, 56\.3 % before\): with 16 samples that may be chance \(p 0\.\d{3}\)\.$/,
  ],
  [
    'higher by more than chance',
    [1, 30],
    [28, 30],
    /^90 points higher .*: with 30 samples chance alone hardly explains that \(p 0\.000\)\.$/,
  ],
  [
    'lower by more than chance',
    [28, 30],
    [1, 30],
    /^regression: 90 points lower .*: chance alone hardly explains what got worse \(p 0\.000\)\.$/,
  ],
  ['too few samples', [1, 1], [0, 1], /^100 points lower .*: with 1 sample that cannot be told from chance/],
  [
    'no difference, with what would have been noticed',
    [16, 16],
    [16, 16],
    /^No difference: 100 % of trials pass, 100 % before; with 16 samples only a drop of \d+ points or more is likely to be noticed\.$/,
  ],
] as const)('%s', (_name, before, now, told) => {
  expect(tell([...before], [...now])).toMatch(told);
});

test('other components are named without digests', () => {
  expect(tell([9, 16], [12, 16], 'other')).toMatch(
    /; tools, checkers or samples differ, so only the rates are compared\.$/,
  );
});
