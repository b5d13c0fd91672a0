/** The interval of a mean over dependent trials; its coverage is measured in bench/statistics. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clusterInterval,
  effectiveTrials,
  averageClusters,
  studentQuantile,
} from '../../../src/scenario/statistics/cluster-interval.ts';
import { wilsonInterval } from '../../../src/scenario/statistics/score.ts';

const cluster = fc
  .tuple(fc.integer({ min: 1, max: 8 }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([trials, share]) => ({ mean: Math.round(share * trials) / trials, trials }));
const alike = Array.from({ length: 20 }, (_, index) => ({ mean: index < 10 ? 1 : 0, trials: 4 }));
const mixed = Array.from({ length: 20 }, () => ({ mean: 0.5, trials: 4 }));

test('the mean lies in its own interval, and the interval in 0 to 1', () => {
  fc.assert(
    fc.property(fc.array(cluster, { minLength: 1, maxLength: 20 }), (clusters) => {
      const [low, high] = clusterInterval(clusters);
      const mean = averageClusters(clusters);
      expect(low).toBeLessThanOrEqual(mean + 1e-12);
      expect(high).toBeGreaterThanOrEqual(mean - 1e-12);
      expect(low).toBeGreaterThanOrEqual(-1e-12);
      expect(high).toBeLessThanOrEqual(1 + 1e-12);
    }),
  );
});

test('trials are worth something between one a sample and one each', () => {
  fc.assert(
    fc.property(fc.array(cluster, { minLength: 1, maxLength: 20 }), (clusters) => {
      const worth = effectiveTrials(clusters);
      expect(worth).toBeGreaterThanOrEqual(clusters.length - 1e-9);
      expect(worth).toBeLessThanOrEqual(clusters.reduce((sum, { trials }) => sum + trials, 0) + 1e-9);
    }),
  );
});

describe('eighty trials of twenty samples', () => {
  const width = (clusters: Parameters<typeof clusterInterval>[0]) => {
    const [low, high] = clusterInterval(clusters);
    return high - low;
  };

  test('that hang together are twenty pieces of evidence, and more where they do not', () => {
    const twenty = wilsonInterval(10, 20);
    expect(width(alike)).toBeGreaterThan(twenty[1] - twenty[0]);
    expect(width(alike)).toBeLessThan(1.15 * (twenty[1] - twenty[0]));
    expect(width(mixed)).toBeLessThan(0.8 * width(alike));
  });
});

test('claims no certainty where all samples look the same, and says nothing of none', () => {
  const [low, high] = clusterInterval([1, 1, 1].map((mean) => ({ mean, trials: 4 })));
  expect(low).toBeLessThan(wilsonInterval(3, 3)[0]);
  expect(high).toBe(1);
  expect(clusterInterval([])).toEqual([0, 1]);
});

test('with one trial each it is Wilson’s', () => {
  expect(clusterInterval([1, 1, 0].map((mean) => ({ mean, trials: 1 })))).toEqual(wilsonInterval(2, 3));
});

test.each([
  ['all alike', [1, 0.5, 0], 2, 3],
  ['a third alike', [1, 0.5, 0.5, 0], 2, 4.5],
  ['not alike', [0.75, 0.25, 0.5, 0.5], 4, 16 / 3],
  ['one each', [1, 0], 1, 2],
  ['of one sample', [0.5], 4, 1],
])('trials that are %s are worth what the moments say', (_name, means, trials, worth) => {
  expect(effectiveTrials(means.map((mean) => ({ mean, trials })))).toBeCloseTo(worth, 9);
});

test('the interval is Wilson’s for what the trials are worth, with Student’s quantile for the samples', () => {
  const clusters = [1, 0.5, 0.5, 0].map((mean) => ({ mean, trials: 2 }));
  const [low, high] = clusterInterval(clusters);
  // Three degrees of freedom: 3.159 by the series.
  expect(low).toBeCloseTo(0.0849, 3);
  expect(high).toBeCloseTo(0.9151, 3);
  // One sample with a single trial does not make the others independent.
  const single = [...clusters, { mean: 0.5, trials: 1 }];
  expect(clusterInterval(single)[0]).not.toBeCloseTo(wilsonInterval(2.5, 5)[0], 3);
});

test.each([
  [10, 2.22798],
  [30, 2.04226],
  [100, 1.98397],
  [2, 4.17121],
  [1, 4.17121],
])('the quantile for %i degrees is Cornish and Fisher’s', (freedom, value) => {
  expect(studentQuantile(freedom)).toBeCloseTo(value, 4);
});
