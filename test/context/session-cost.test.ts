/** The cost model gives the published numbers back, and the trigger that is made of it can be trusted. */
import { describe, expect, test } from 'vitest';
import { planTrigger, sessionCost, type Session, type Strategy } from '../../bench/context/economics.ts';
import { isHarnessError } from '../../src/errors.ts';

/** 400 steps, 2.5k tokens a result, write 1.25, read 0.1, output 5. */
const session: Session = {
  fixed: 10_000,
  answer: 250,
  result: 2500,
  calls: 400,
  summary: 2000,
  keep: 20_000,
  weights: { write: 1.25, read: 0.1, output: 5 },
};
const at75 = { compactAbove: 150_000 };
const stub = 25;

test.each<[string, Strategy, number]>([
  ['compact at 75 %, the summary reads the cache', at75, 5684],
  ['a separate summary call, not cached (T29)', { ...at75, summaryCall: { type: 'separate', leavesOut: 2000 } }, 6762],
  ['serialised and cut to 60k', { ...at75, summaryCall: { type: 'serialised', tokens: 60_000 } }, 6042],
  ['compact at 50 %', { compactAbove: 100_000 }, 4974],
  ['compact at 25 %', { compactAbove: 50_000 }, 5336],
  ['every call clears all but 3 results (Y10, T28)', { clear: { keepResults: 3, stub } }, 7179],
  ['every call clears all but 10 results (Y10, T28)', { clear: { keepResults: 10, stub } }, 16_427],
  ['clears 20k beyond the newest 40k', { ...at75, clear: { protect: 40_000, least: 20_000, stub } }, 7707],
  ['clears 60k beyond the newest 20k', { ...at75, clear: { protect: 20_000, least: 60_000, stub } }, 5722],
])('%s: the published number, to the thousand', (_name, strategy, thousands) => {
  expect(Math.round(sessionCost(session, strategy).total / 1000)).toBe(thousands);
});

describe('the recommended trigger', () => {
  const question = { session, window: 200_000, maxOutput: 16_000, reserve: 20_000 };
  const plan = planTrigger(question);

  test('costs at most 0.88 of compaction at 75 %', () => {
    expect(plan.usual.trigger).toBe(150_000);
    expect(plan.recommended.cost / plan.usual.cost).toBeLessThanOrEqual(0.88);
  });

  test('is the latest one that costs about as little as the cheapest: fewer compactions lose less', () => {
    expect(plan.recommended.cost).toBeLessThanOrEqual(plan.cheapest.cost * 1.01);
    expect(plan.recommended.compactions).toBeLessThanOrEqual(plan.cheapest.compactions);
    const later = plan.points.filter(({ trigger }) => trigger > plan.recommended.trigger);
    expect(later.every(({ cost }) => cost > plan.cheapest.cost * 1.01)).toBe(true);
  });

  test('moves up with cheaper cache reads: re-reading a long context costs less', () => {
    const cheap = { ...session, weights: { ...session.weights, read: 0.05 } };
    expect(planTrigger({ ...question, session: cheap }).recommended.trigger).toBeGreaterThan(plan.recommended.trigger);
  });

  test('is refused where a compacted context leaves no room for work (T1)', () => {
    const thrown = (() => {
      try {
        return planTrigger({ ...question, window: 60_000 });
      } catch (error) {
        return error;
      }
    })();
    expect(isHarnessError(thrown, 'context_overflow')).toBe(true);
  });
});
