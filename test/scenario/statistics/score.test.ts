import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SampleResult, TrialResult } from '../../../src/scenario/result.ts';
import { toSampleOutcome, scoreSamples, wilsonInterval } from '../../../src/scenario/statistics/score.ts';

type Outcome = TrialResult['outcome'];

function sample(id: string, outcomes: Outcome[], more: Partial<SampleResult> = {}): SampleResult {
  const trials = outcomes.map((outcome, index): TrialResult => ({
    trial: index + 1,
    outcome,
    stop: 'done',
    verdicts: [],
    trace: `traces/${id}.${index + 1}.jsonl`,
    costUsd: 0,
    durationMs: 0,
  }));
  return { id, title: id, category: 'c', covers: ['R1'], outcome: toSampleOutcome(outcomes), trials, why: [], ...more };
}

describe('wilson', () => {
  test('gives the numbers of the tables', () => {
    const [low, high] = wilsonInterval(13, 15);
    expect([low.toFixed(3), high.toFixed(3)]).toEqual(['0.621', '0.963']);
    expect(wilsonInterval(20, 20)[0]).toBeCloseTo(0.8389, 4);
    expect(wilsonInterval(22, 22)[0]).toBeGreaterThan(0.85);
    expect(wilsonInterval(21, 21)[0]).toBeLessThan(0.85);
    expect(wilsonInterval(0, 10)).toEqual([0, expect.closeTo(0.2775, 4)]);
    expect(wilsonInterval(0, 0)).toEqual([0, 1]);
  });

  test('holds the rate, and stays between 0 and 1', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (a, b) => {
        const [passed, total] = [Math.min(a, b), Math.max(a, b, 1)];
        const [low, high] = wilsonInterval(passed, total);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(passed / total).toBeGreaterThanOrEqual(low - 1e-12);
        expect(passed / total).toBeLessThanOrEqual(high + 1e-12);
      }),
    );
  });
});

describe('outcomeOf', () => {
  test.each<[Outcome[], Outcome]>([
    [['pass', 'pass'], 'pass'],
    [['pass', 'fail', 'unscored'], 'fail'],
    [['pass', 'unscored'], 'unscored'],
    [[], 'unscored'],
  ])('of %j is %s', (trials, outcome) => {
    expect(toSampleOutcome(trials)).toBe(outcome);
  });
});

describe('scoreSamples', () => {
  test('unscored samples count in no rate', () => {
    const score = scoreSamples([
      sample('a', ['pass']),
      sample('b', ['fail'], { layer: 4, category: 'd', covers: ['R2', 'R1'] }),
      sample('c', ['unscored'], { category: 'd' }),
    ]);
    expect(score).toMatchObject({ successRate: 0.5, passed: 1, total: 2, unscored: 1, passAll: 0.5 });
    expect(score.interval).toEqual(wilsonInterval(1, 2));
    expect(score.layers).toEqual({ '1': 0, '2': 0, '3': 0, '4': 1 });
    expect(score.byCategory).toEqual({ c: { passed: 1, total: 1 }, d: { passed: 0, total: 1 } });
    expect(score.byRule).toEqual({ R1: { passed: 1, total: 2 }, R2: { passed: 0, total: 1 } });
  });

  test('a sample counts as passed when all its trials pass; single trials and disagreement are told beside it', () => {
    const score = scoreSamples([sample('a', ['pass', 'fail', 'pass', 'fail']), sample('b', ['pass', 'pass'])]);
    expect(score).toMatchObject({ successRate: 0.5, passAtOne: 0.75, flipRate: 0.5 });
  });

  test('without a scored sample the rate is 0 and the interval says nothing', () => {
    expect(scoreSamples([sample('a', ['unscored'])])).toMatchObject({ successRate: 0, total: 0, interval: [0, 1] });
  });

  test('17 of 20 meets a target of 0.85 exactly (S0.25)', () => {
    const samples = Array.from({ length: 20 }, (_, index) => sample(`s${index}`, [index < 17 ? 'pass' : 'fail']));
    expect(scoreSamples(samples).successRate >= 0.85).toBe(true);
  });

  test('a category named like an inherited key is counted', () => {
    expect(scoreSamples([sample('a', ['pass'], { category: 'constructor' })]).byCategory).toEqual(
      Object.fromEntries([['constructor', { passed: 1, total: 1 }]]),
    );
  });
});
