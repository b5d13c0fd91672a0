/** The simulation of docs/internals/scale.md: what it says of the runs that were measured, and what no fleet can be better than. */
import { describe, expect, test } from 'vitest';
import { simulate, type Fleet } from '../../../bench/scale/simulate.ts';

/** As in `bench/scale/run.ts`: calibrated on one worker. */
const HERE = { runs: 1, places: 10, calls: 3, trialMs: 38, joinMs: 300, queueMs: 2, modelMs: 2, cores: 2 };
const MANY: Fleet = { ...HERE, runs: 4, trials: 50, workers: 10, latencyMs: 1000 };

describe('runs that were measured on a quiet machine (docs/internals/performance.md)', () => {
  test.each([
    { workers: 1, measuredMs: 25_200 },
    { workers: 3, measuredMs: 9_700 },
  ])('$workers workers: within 15 %', ({ workers, measuredMs }) => {
    const { ms } = simulate({ ...HERE, workers, trials: 200, latencyMs: 400 });
    expect(Math.abs(ms / measuredMs - 1)).toBeLessThanOrEqual(0.15);
  });
});

test('the same fleet has the same outcome', () => {
  expect(simulate(MANY)).toEqual(simulate({ ...MANY }));
});

test('no fleet is faster than its places allow, or than the provider lets it begin', () => {
  const calls = MANY.runs * MANY.trials * MANY.calls;
  const ideal = (calls * MANY.latencyMs) / (MANY.workers * MANY.places);
  expect(simulate(MANY).ms).toBeGreaterThanOrEqual(ideal);
  const held = simulate({ ...MANY, requestsPerMinute: 600 });
  expect(held.ms).toBeGreaterThanOrEqual((calls * 60_000) / 600);
  expect(held.busy.provider).toBeGreaterThan(0.9);
});

test('of one run no more than 256 trials are in flight, however many workers there are', () => {
  const wide = { ...MANY, runs: 1, trials: 1024, workers: 200, trialMs: 0, joinMs: 0, queueMs: 0, modelMs: 0 };
  expect(simulate(wide).ms).toBe((1024 / 256) * wide.calls * wide.latencyMs);
});
