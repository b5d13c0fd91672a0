/** The tests behind a comparison: known tables, and the properties that make a false alarm rare. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeSmallestP,
  detectableDrop,
  computePairedP,
  computeRateP,
} from '../../../src/scenario/statistics/paired-test.ts';
import { chance } from '../../support/chance.ts';
import type { Tally } from '../../../src/scenario/statistics/pass-k.ts';

const tally = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([total, share]): Tally => ({ passed: Math.round(share * total), total }));
const pairs = fc.array(fc.record({ before: tally, now: tally }), { maxLength: 12 });

describe('passesWorse', () => {
  test('of one sample is Fisher’s exact test: the table of the tea-tasting lady', () => {
    const one = (before: Tally, now: Tally) => computePairedP([{ before, now }]);
    expect(one({ passed: 3, total: 4 }, { passed: 1, total: 4 })).toBeCloseTo(17 / 70, 12);
    expect(one({ passed: 4, total: 4 }, { passed: 0, total: 4 })).toBeCloseTo(1 / 70, 12);
    expect(one({ passed: 2, total: 2 }, { passed: 2, total: 2 })).toBe(1);
  });

  test('with one trial a side is McNemar’s: a coin thrown for each sample that changed', () => {
    const [pass, fail] = [
      { passed: 1, total: 1 },
      { passed: 0, total: 1 },
    ];
    const changed = (better: number, worse: number) => [
      ...Array.from({ length: better }, () => ({ before: fail, now: pass })),
      ...Array.from({ length: worse }, () => ({ before: pass, now: fail })),
      { before: pass, now: pass },
    ];
    expect(computePairedP(changed(0, 5))).toBeCloseTo(1 / 32, 12);
    expect(computePairedP(changed(1, 5))).toBeCloseTo(7 / 64, 12);
    expect(computePairedP([])).toBe(1);
  });

  test('is a chance, does not depend on the order of samples, and one more pass never speaks for worse', () => {
    fc.assert(
      fc.property(pairs, fc.nat(), (given, place) => {
        const p = computePairedP(given);
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(computePairedP(given.toReversed())).toBeCloseTo(p, 9);
        const one = given[place % Math.max(1, given.length)];
        if (one === undefined || one.now.passed === one.now.total) return;
        const better = given.map((pair) =>
          pair === one ? { ...pair, now: { ...pair.now, passed: pair.now.passed + 1 } } : pair,
        );
        if (given.length === 1) expect(computePairedP(better)).toBeGreaterThanOrEqual(p - 1e-9);
      }),
    );
  });

  test('over all ways in which a sound subject’s trials can fall, p is at most 0.05 in at most 0.05 of them', () => {
    // Exact, by enumeration: three samples with chances 0.5, 0.8 and 0.95, one trial before and four now.
    const chances = [0.5, 0.8, 0.95];
    const binomial = (n: number, k: number, q: number) => {
      let ways = 1;
      for (let step = 0; step < k; step += 1) ways = (ways * (n - step)) / (step + 1);
      return ways * q ** k * (1 - q) ** (n - k);
    };
    let alarms = 0;
    const walk = (index: number, chance: number, made: { before: Tally; now: Tally }[]): void => {
      const q = chances[index];
      if (q === undefined) {
        if (computePairedP(made) <= 0.05) alarms += chance;
        return;
      }
      for (let was = 0; was <= 2; was += 1)
        for (let is = 0; is <= 4; is += 1)
          walk(index + 1, chance * binomial(2, was, q) * binomial(4, is, q), [
            ...made,
            { before: { passed: was, total: 2 }, now: { passed: is, total: 4 } },
          ]);
    };
    walk(0, 1, []);
    expect(alarms).toBeLessThanOrEqual(0.05);
    expect(alarms).toBeGreaterThan(0.005);
  });

  test('the clearest outcome has the smallest p', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        expect(computeSmallestP(given)).toBeLessThanOrEqual(computePairedP(given) + 1e-9);
      }),
    );
  });
});

describe('rateWorse', () => {
  const many = (count: number, passed: number, total: number) =>
    Array.from({ length: count }, () => ({ passed, total }));

  test('finds a fall of the rate among other samples, and none where there is none', () => {
    expect(computeRateP(many(20, 4, 4), many(20, 2, 4))).toBeLessThan(0.01);
    expect(computeRateP(many(20, 2, 4), many(15, 1, 2))).toBeGreaterThan(0.4);
    expect(computeRateP(many(20, 2, 4), many(20, 4, 4))).toBeGreaterThan(0.95);
    expect(computeRateP([], many(3, 1, 1))).toBe(1);
  });
});

describe('detectableDrop', () => {
  const even = (count: number, trials: number) =>
    Array.from({ length: count }, () => ({
      before: { passed: trials, total: trials },
      now: { passed: trials, total: trials },
    }));

  test('is smaller with more samples and with more trials, and missing where nothing can be found', () => {
    const drops = [even(8, 1), even(8, 4), even(50, 4)].map((given) => detectableDrop(given, 0.05) ?? 1);
    expect(drops).toEqual(drops.toSorted((one, other) => other - one));
    expect(new Set(drops).size).toBe(3);
    expect(detectableDrop(even(2, 1), 0.05)).toBeUndefined();
    expect(detectableDrop([], 0.05)).toBeUndefined();
  });
});

test('a drop that it says it would find is found in four of five comparisons, and a smaller one less often', () => {
  const many = Array.from({ length: 15 }, () => ({ before: { passed: 4, total: 5 }, now: { passed: 0, total: 4 } }));
  const drop = detectableDrop(many, 0.05) ?? expect.fail();
  const draw = chance(3);
  const passes = (total: number, rate: number): Tally => ({
    passed: Array.from({ length: total }).filter(() => draw() < rate).length,
    total,
  });
  const found = (by: number): number => {
    const rate = 60.5 / 76;
    const tries = 400;
    let hits = 0;
    for (let index = 0; index < tries; index += 1)
      if (computePairedP(many.map(() => ({ before: passes(5, rate), now: passes(4, rate - by) }))) <= 0.05) hits += 1;
    return hits / tries;
  };
  expect(found(drop)).toBeGreaterThan(0.73);
  expect(found(drop)).toBeLessThan(0.87);
  expect(found(drop - 0.06)).toBeLessThan(0.72);
});

test('without trials nothing could be found, and nothing is worse', () => {
  expect(detectableDrop([], 0.05)).toBeUndefined();
  const some = [{ passed: 3, total: 4 }];
  expect([computeRateP([], some), computeRateP(some, []), computeRateP([{ passed: 0, total: 0 }], some)]).toEqual([
    1, 1, 1,
  ]);
});
