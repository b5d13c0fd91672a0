import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scoreSamples, wilsonInterval } from '../../../src/scenario/statistics/score.ts';
import { computeStatistics } from '../../../src/scenario/statistics/statistics.ts';
import { sampleOf } from '../results-of.ts';

describe('statisticsOf', () => {
  const samples = [
    sampleOf('a', 'pppp', { category: 'one', covers: ['R1', 'R2'] }),
    sampleOf('b', 'ppff', { category: 'one', covers: ['R2'], layer: 2 }),
    sampleOf('c', 'ffuu', { category: 'two', covers: ['R10'], layer: 4 }),
    sampleOf('d', 'uuuu'),
  ];
  const found = computeStatistics(samples, {
    toolsOf: ({ id }, { trial }) => (id === 'b' && trial > 2 ? ['search', 'search'] : ['look']),
  });

  test('unscored trials stand in no rate, and are counted', () => {
    expect(found).toMatchObject({ samples: 3, trials: 10, unscored: 6 });
  });

  test('the mean share of passes, pass^k, and how many samples disagree with themselves', () => {
    expect(found.passAtOne.value).toBeCloseTo((1 + 0.5 + 0) / 3, 12);
    expect(found.passK).toHaveLength(2);
    expect(found.passK[1]).toBeCloseTo((1 + 1 / 6 + 0) / 3, 12);
    expect(found.flipRate).toEqual({ value: 1 / 3, interval: wilsonInterval(1, 3) });
    expect(found.passAll).toEqual({ value: 1 / 3, interval: wilsonInterval(1, 3) });
  });

  test('by category, rule, layer and tool, the worst first', () => {
    expect(found.byCategory.map(({ key, passed, total }) => [key, passed, total])).toEqual([
      ['two', 0, 2],
      ['one', 6, 8],
    ]);
    expect(found.byRule.map(({ key, passed, total }) => [key, passed, total])).toEqual([
      ['R10', 0, 2],
      ['R2', 6, 8],
      ['R1', 4, 4],
    ]);
    expect(found.byLayer).toEqual([
      { layer: 1, failed: 0 },
      { layer: 2, failed: 2 },
      { layer: 3, failed: 0 },
      { layer: 4, failed: 2 },
    ]);
    expect(found.byTool.map(({ key, passed, total }) => [key, passed, total])).toEqual([
      ['search', 0, 2],
      ['look', 6, 8],
    ]);
  });

  test('with one trial a sample the interval is Wilson’s, and nothing can flip', () => {
    const once = computeStatistics([sampleOf('a', 'p'), sampleOf('b', 'f'), sampleOf('c', 'p')]);
    expect(once.passAtOne).toEqual({ value: 2 / 3, interval: wilsonInterval(2, 3) });
    expect(once.flipRate).toEqual({ value: 0, interval: [0, 1] });
    expect(once.passK).toEqual([2 / 3]);
  });

  test('nothing judged says nothing', () => {
    expect(computeStatistics([])).toMatchObject({
      samples: 0,
      passAtOne: { value: 0, interval: [0, 1] },
      passK: [],
      byRule: [],
    });
  });
});

test('a sample whose other trial was never judged counts in both rates as the score counts it', () => {
  const samples = [sampleOf('a', 'p'), sampleOf('b', 'f'), sampleOf('c', 'pu'), sampleOf('d', 'pu')];
  const [found, score] = [computeStatistics(samples), scoreSamples(samples)];
  expect(found.passAll.value).toBe(0.5);
  expect(found.passAll.value).toBe(score.successRate);
  expect(found.passAtOne.value).toBe(score.passAtOne);
});

test('every value lies in its own interval', () => {
  const outcomes = fc.array(fc.constantFrom('p', 'f', 'u'), { minLength: 1, maxLength: 6 });
  const samples = fc.array(fc.tuple(outcomes, fc.subarray(['R1', 'R2', 'R3'])), { maxLength: 12 });
  fc.assert(
    fc.property(samples, (given) => {
      const made = given.map(([trials, covers], index) => sampleOf(`s${index}`, trials.join(''), { covers }));
      const { passAll, passAtOne, flipRate, byCategory, byRule, byTool } = computeStatistics(made, {
        toolsOf: (_, { trial }) => (trial % 2 === 0 ? ['look', 'book'] : ['look']),
      });
      for (const { value, interval } of [passAll, passAtOne, flipRate, ...byCategory, ...byRule, ...byTool]) {
        expect(interval[0]).toBeLessThanOrEqual(value + 1e-12);
        expect(interval[1]).toBeGreaterThanOrEqual(value - 1e-12);
      }
    }),
  );
});
