import { describe, expect, test } from 'vitest';
import { judgeIterations, judgeNewRound } from '../../src/run/stop-rules.ts';
import type { Iteration } from '../../src/run/state.ts';
import { LIMITS, score } from '../support/run-events.ts';

function iterations(...rates: readonly (number | { rate: number; round: number })[]): Iteration[] {
  return rates.map((given, index) => {
    const { rate, round } = typeof given === 'number' ? { rate: given, round: 1 } : given;
    return { ...score(rate), iteration: index + 1, round };
  });
}

describe('the target', () => {
  test('is not met by a doubtful verdict, and the range is named where the run ends', () => {
    const doubtful = { ...score(0.85), verdict: 'disputed' as const, passedRange: { low: 16, high: 17 } };
    expect(judgeIterations(LIMITS, [doubtful])).toBeUndefined();
    expect(judgeIterations({ ...LIMITS, maxIterations: 1 }, [doubtful])).toMatchObject({
      status: 'failed',
      why: expect.stringContaining('16 to 17 of 20 passed (disputed), 85 %'),
    });
    // The lower number meets it, so nothing hangs on the doubt.
    const { verdict: _verdict, ...sure } = doubtful;
    expect(judgeIterations(LIMITS, [sure])?.status).toBe('succeeded');
  });

  test('is not met while a rule has no proof, however high the rate is', () => {
    const unproven = { ...score(0.95), unproven: ['R7'] };
    expect(judgeIterations(LIMITS, [unproven])).toBeUndefined();
    expect(judgeIterations({ ...LIMITS, maxIterations: 1 }, [unproven])).toMatchObject({
      ...{ status: 'failed', because: 'iteration_cap' },
      why: expect.stringContaining('19 of 20 passed, 95 % (R7 is not proven)'),
    });
  });

  // S0.25
  test('is met by the rate itself, at exactly the target', () => {
    expect(judgeIterations(LIMITS, iterations(0.5, 0.85))).toEqual({
      status: 'succeeded',
      because: 'target',
      why: 'Iteration 2 meets the target: 17 of 20 passed, 85 %, target 85 %.',
    });
    expect(judgeIterations(LIMITS, iterations(0.8))).toBeUndefined();
  });

  test('is held against the lower bound when the brief says so', () => {
    const limits = { ...LIMITS, gate: 'lower-bound' } as const;
    expect(judgeIterations(limits, iterations(0.9))).toBeUndefined();
    const sure = { ...score(0.95), lowerBound: 0.86 };
    expect(judgeIterations(limits, [sure])?.why).toContain('with a lower bound of 86 %');
  });

  test('is not met by nothing: unscored samples are no successes', () => {
    const empty = { ...score(1), passed: 0, total: 0, unscored: 20 };
    expect(judgeIterations(LIMITS, [empty])).toBeUndefined();
  });

  test('forgives a rounding error and nothing more', () => {
    const mean = 0.85 - 1e-12;
    expect(judgeIterations(LIMITS, [{ ...score(0.9), successRate: mean }])?.status).toBe('succeeded');
    expect(judgeIterations(LIMITS, [{ ...score(0.9), successRate: 0.8499 }])).toBeUndefined();
  });

  test('reads as missed when it is missed: a rate is not rounded up to its target', () => {
    const limits = { ...LIMITS, maxIterations: 1 };
    expect(judgeIterations(limits, [{ ...score(0.9), successRate: 0.84999 }])?.why).toContain('84.99 %');
  });
});

describe('the iteration cap', () => {
  test('ends the run and names itself', () => {
    const limits = { ...LIMITS, maxIterations: 2 };
    expect(judgeIterations(limits, iterations(0.5))).toBeUndefined();
    const verdict = judgeIterations(limits, iterations(0.5, 0.6));
    expect(verdict).toMatchObject({ status: 'failed', because: 'iteration_cap' });
    expect(verdict?.why).toBe('The iteration cap of 2 is used up: iteration 2 has 12 of 20 passed, 60 %, target 85 %.');
  });

  test('gives way to the target in the last iteration', () => {
    expect(judgeIterations({ ...LIMITS, maxIterations: 1 }, iterations(0.9))?.status).toBe('succeeded');
  });
});

describe('patience', () => {
  test('ends after that many iterations without a better one, and names the best', () => {
    expect(judgeIterations(LIMITS, iterations(0.5, 0.6, 0.6, 0.5))).toBeUndefined();
    const verdict = judgeIterations(LIMITS, iterations(0.5, 0.6, 0.6, 0.5, 0.55));
    expect(verdict).toMatchObject({ status: 'failed', because: 'patience' });
    expect(verdict?.why).toContain(
      '3 iterations in a row under design r1 were no better than 12 of 20 passed, 60 % in iteration 2',
    );
  });

  test('starts again with every better iteration', () => {
    expect(judgeIterations(LIMITS, iterations(0.5, 0.5, 0.5, 0.55, 0.5, 0.5))).toBeUndefined();
  });

  test('is counted under one design: a new round brings new patience', () => {
    const old = [0.6, 0.5, 0.5].map((rate) => ({ rate, round: 1 }));
    const fresh = [0.4, 0.4, 0.4].map((rate) => ({ rate, round: 2 }));
    expect(judgeIterations(LIMITS, iterations(...old, ...fresh))).toBeUndefined();
    expect(judgeIterations(LIMITS, iterations(...old, ...fresh, { rate: 0.4, round: 2 }))?.because).toBe('patience');
  });
});

describe('a new round', () => {
  test('is refused beyond the round cap, which names itself', () => {
    expect(judgeNewRound(LIMITS, 5, undefined)).toBeUndefined();
    expect(judgeNewRound(LIMITS, 6, undefined)).toEqual({
      status: 'failed',
      because: 'round_cap',
      why: 'Another design was asked for after round 5, and the round cap is 5.',
    });
  });

  test('is not begun when no iteration is left that could use it', () => {
    const [last] = iterations(0.5);
    expect(judgeNewRound({ ...LIMITS, maxIterations: 1 }, 2, last)?.because).toBe('iteration_cap');
    expect(judgeNewRound(LIMITS, 2, last)).toBeUndefined();
  });
});
