import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  chanceToProve,
  passesNeeded,
  samplesForChance,
  samplesNeeded,
} from '../../../src/scenario/statistics/plan-samples.ts';
import { wilsonInterval } from '../../../src/scenario/statistics/score.ts';

test('85 % is proved by 22 of 22, 48 of 50, 92 of 100 or 180 of 200, and by no fewer', () => {
  expect([22, 50, 100, 200].map((samples) => passesNeeded(0.85, samples))).toEqual([22, 48, 92, 180]);
  expect(passesNeeded(0.85, 21)).toBeUndefined();
});

test('the passes that are needed reach the target, and one less does not', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.05, max: 0.99, noNaN: true }),
      fc.integer({ min: 1, max: 800 }),
      (target, samples) => {
        const passes = passesNeeded(target, samples);
        if (passes === undefined) expect(wilsonInterval(samples, samples)[0]).toBeLessThan(target);
        else {
          expect(wilsonInterval(passes, samples)[0]).toBeGreaterThanOrEqual(target - 1e-9);
          if (passes > 0) expect(wilsonInterval(passes - 1, samples)[0]).toBeLessThan(target);
        }
      },
    ),
  );
});

test('each failure that is forgiven costs samples', () => {
  expect(samplesNeeded(0.85, [0, 1, 8])).toEqual([
    { failures: 0, samples: 22, passes: 22 },
    { failures: 1, samples: 34, passes: 33 },
    { failures: 8, samples: 100, passes: 92 },
  ]);
  expect(samplesNeeded(0.9999, [0])).toEqual([]);
});

describe('the chance to prove a target', () => {
  test('is the binomial one', () => {
    // 22 of 22 at 0.95: 0.95^22.
    expect(chanceToProve(0.85, 0.95, 22)).toBeCloseTo(0.95 ** 22, 12);
    // 33 or 34 of 34.
    expect(chanceToProve(0.85, 0.95, 34)).toBeCloseTo(0.95 ** 34 + 34 * 0.95 ** 33 * 0.05, 12);
    expect(chanceToProve(0.85, 0.95, 21)).toBe(0);
    expect([chanceToProve(0.85, 1, 22), chanceToProve(0.85, 0, 22)]).toEqual([1, 0]);
  });

  test('tells how many samples a subject of some rate needs; one that is no better than the target never gets there', () => {
    const samples = samplesForChance(0.85, 0.92, 0.8) ?? 0;
    expect(chanceToProve(0.85, 0.92, samples)).toBeGreaterThanOrEqual(0.8);
    expect(chanceToProve(0.85, 0.92, samples - 1)).toBeLessThan(0.8);
    expect(samplesForChance(0.85, 0.85, 0.8)).toBeUndefined();
    expect(samplesForChance(0.85, 0.8501, 0.8)).toBeUndefined();
  });
});
