import { expect, test } from 'vitest';
import {
  correctedRate,
  judgeRates,
  explainUncalibrated,
  estimateLabelValue,
} from '../../../src/scenario/statistics/calibrate.ts';
import { chance } from '../../support/chance.ts';

const table = (truePass: number, falseFail: number, trueFail: number, falsePass: number) => ({
  ...{ truePass, falseFail, trueFail, falsePass },
});

test('sensitivity, specificity and kappa, and nothing where no label of a class is there', () => {
  expect(judgeRates(table(45, 5, 40, 10))).toEqual({
    sensitivity: 0.9,
    specificity: 0.8,
    kappa: expect.closeTo(0.7),
    n: 100,
  });
  expect(judgeRates(table(10, 0, 0, 0))).toEqual({ sensitivity: 1, specificity: undefined, kappa: undefined, n: 10 });
  expect(judgeRates(table(0, 0, 0, 0))).toMatchObject({ sensitivity: undefined, kappa: undefined, n: 0 });
});

test('a judge decides with 20 labels of each class and nine of ten right on both sides, and not before', () => {
  expect(explainUncalibrated(table(18, 2, 18, 2))).toBeUndefined();
  expect(explainUncalibrated(table(19, 0, 100, 0))).toContain('19 pass and 100 fail');
  expect(explainUncalibrated(table(100, 0, 17, 3))).toContain('fails 85 % of what people fail');
  expect(explainUncalibrated(table(17, 3, 100, 0))).toContain('passes 85 %');
  // 26 of 29: what misses nine of ten must not read like nine of ten.
  expect(explainUncalibrated(table(26, 3, 100, 0))).toContain('it passes 89.7 % of what people pass');
});

test('the corrected rate is Rogan and Gladen’s, lies in its interval, and is unknown for a judge by chance', () => {
  const judge = table(900, 100, 800, 200);
  const found = correctedRate({ passed: 6900, n: 10_000 }, judge) ?? expect.fail();
  expect(found.value).toBeCloseTo(0.7, 2);
  expect(found.interval[0]).toBeLessThan(0.7);
  expect(found.interval[1]).toBeGreaterThan(0.7);
  expect(correctedRate({ passed: 50, n: 100 }, table(10, 10, 9, 11))).toBeUndefined();
  expect(correctedRate({ passed: 50, n: 100 }, table(7, 5, 7, 5))?.interval).toEqual([0, 1]);
  expect(correctedRate({ passed: 0, n: 0 }, judge)).toBeUndefined();
});

test('more labels narrow the interval, and more trials alone do not narrow it beyond what the labels know', () => {
  const width = (n: number, m: number) => {
    const [low, high] = correctedRate({ passed: 0.8 * n, n }, table(0.9 * m, 0.1 * m, 0.9 * m, 0.1 * m))?.interval ?? [
      0, 1,
    ];
    return high - low;
  };
  expect(width(200, 100)).toBeLessThan(width(200, 20));
  expect(width(1_000_000, 20)).toBeGreaterThan(0.1);
});

/** The whole grid is in bench/graders; here a corner of each kind, so that a broken formula is seen at once. */
test.each([
  [0.5, 0.9, 0.9, 20],
  [0.85, 0.7, 0.7, 100],
  [0.95, 0.98, 0.7, 200],
])('the interval covers %s with rates %s and %s and %s labels in at least 93 of 100 cases', (rate, q1, q0, labels) => {
  const draw = chance(7);
  const hits = (n: number, p: number) => Array.from({ length: n }).filter(() => draw() < p).length;
  const tries = 1500;
  let covered = 0;
  for (let index = 0; index < tries; index += 1) {
    const right = hits(200, rate);
    const passed = hits(right, q1) + hits(200 - right, 1 - q0);
    const [truePass, trueFail] = [hits(labels / 2, q1), hits(labels / 2, q0)];
    const judge = table(truePass, labels / 2 - truePass, trueFail, labels / 2 - trueFail);
    const [low, high] = correctedRate({ passed, n: 200 }, judge)?.interval ?? [0, 1];
    if (low <= rate && rate <= high) covered += 1;
  }
  expect(covered / tries).toBeGreaterThanOrEqual(0.93);
});

test('a label of the class that weighs more and is known less is worth more', () => {
  const mostlyPassed = { passed: 50, n: 100 };
  expect(estimateLabelValue(true, mostlyPassed, table(2, 1, 40, 2))).toBeGreaterThan(
    estimateLabelValue(false, mostlyPassed, table(2, 1, 40, 2)),
  );
  const mostlyFailed = { passed: 50, n: 100 };
  expect(estimateLabelValue(false, mostlyFailed, table(40, 2, 2, 1))).toBeGreaterThan(
    estimateLabelValue(true, mostlyFailed, table(40, 2, 2, 1)),
  );
});

/** Written apart from the source, from Bayes’ rule. */
test.each([
  [true, table(18, 2, 9, 6), 0.000466177877],
  [false, table(18, 2, 9, 6), 0.000523644758],
  [true, table(5, 1, 20, 4), 0.006545798255],
  [false, table(5, 1, 20, 4), 0.004917998],
])('a label after the verdict %s is worth what both answers take off the variance', (pass, judge, worth) => {
  expect(estimateLabelValue(pass, { passed: 70, n: 100 }, judge)).toBeCloseTo(worth, 11);
});

test('at each end of the interval the counts lie just 1.96 deviations off', () => {
  const z = 1.959_963_984_540_054;
  const judge = table(90, 10, 40, 10);
  const [passed, n] = [150, 200];
  const about = (hits: number, total: number, extra: number) => {
    const size = total + 2 * extra;
    const rate = (hits + extra) / size;
    return { rate, variance: (rate * (1 - rate)) / size };
  };
  const [p, q0, q1] = [about(passed, n, (z * z) / 2), about(40, 50, 1), about(90, 100, 1)];
  for (const rate of correctedRate({ passed, n }, judge)?.interval ?? expect.fail()) {
    const distance = p.rate - rate * q1.rate - (1 - rate) * (1 - q0.rate);
    const variance = p.variance + rate ** 2 * q1.variance + (1 - rate) ** 2 * q0.variance;
    expect(Math.abs(distance) / Math.sqrt(variance)).toBeCloseTo(z, 9);
  }
});
