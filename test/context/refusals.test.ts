/** What the core refuses says what is wrong with which numbers, and what to do next; the numbers stand in `details` too. */
import { describe, expect, test } from 'vitest';
import { checkBreaker, checkWindow, limitsOf, planCompaction, view } from '../../src/library/context.ts';
import { planTrigger, sessionCost, type Session } from '../../bench/context/economics.ts';
import { HarnessError } from '../../src/errors.ts';
import { compact, coreWith, busyLog, createLog } from '../support/transcripts.ts';

function refused(work: () => unknown): HarnessError {
  try {
    work();
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('a window too small for its fixed floor (S0.22, T1)', () => {
  const core = coreWith({}, { floor: 16_000 });
  const error = refused(() => checkWindow(core.policy, core.budget));
  expect(error.code).toBe('context_overflow');
  expect(error.message).toBe(
    'The window of 40000 tokens is too small for this agent: system prompt and tools take 16000, a summary up to 1500; ' +
      'but compaction starts at 34000 at most and must get under 17000. Use a model with a larger window, or ' +
      'lower summary.maxTokens, trigger.reserve or the output cap (4000) in policy "two-agent".',
  );
  expect(error.details).toEqual({
    ...{ window: 40_000, maxOutput: 4000, floor: 16_000, trigger: 34_000, target: 17_000, summary: 1500 },
  });
});

test.each([
  [{ floor: 15_500 }, true],
  [{ floor: 15_501 }, false],
])('the target must hold floor and summary, to the token: %j', (budget, fits) => {
  const core = coreWith({ keep: { steps: 3, maxTokens: 100 } }, budget);
  const check = () => checkWindow(core.policy, core.budget);
  if (fits) expect(check).not.toThrow();
  else expect(check).toThrow(HarnessError);
});

test('kept steps have their share of the target, and no more than a policy says besides (S0.5)', () => {
  const keep = (given: object) => {
    const core = coreWith({ keep: { steps: 3, ...given } });
    return limitsOf(core.policy, core.budget).keep;
  };
  expect(keep({ maxTokens: undefined })).toBe(7000);
  expect(keep({ maxTokens: undefined, share: 0.4 })).toBe(4000);
  expect(keep({ maxTokens: 3000 })).toBe(3000);
  expect(keep({ maxTokens: 30_000 })).toBe(7000);
});

test('every attempt is made once, with its goal, whether it fitted, and why it was not taken (S4.4)', () => {
  const core = coreWith({
    target: { ratio: 0.5, steps: 60, least: 0.1 },
    keep: { steps: 6, maxTokens: undefined },
  });
  const log = busyLog(12, 1200);
  const plan = planCompaction(log.entries, core, { reason: 'threshold' });
  if (plan.type !== 'cut') throw new Error(plan.type);
  const { decisions } = plan;
  expect(new Set(decisions.map(({ pass, detail, tokens }) => `${pass} ${detail} ${tokens}`)).size).toBe(
    decisions.length,
  );
  expect(decisions.filter(({ taken }) => taken)).toHaveLength(1);
  for (const { goal, tokens, fits, taken, why } of decisions) {
    expect(goal).toBeGreaterThan(0);
    expect(fits === true && tokens > (goal ?? 0)).toBe(false);
    expect(taken === true ? why : typeof why).toBe(taken === true ? undefined : 'string');
  }
  const lastTaken = decisions.find(({ taken }) => taken);
  expect(lastTaken?.fits).toBe(true);
});

test('a context that no pass brings under its target (S0.16, S4.5)', () => {
  const log = createLog();
  log.human('word '.repeat(30_000));
  log.step([{ result: 'r' }]);
  const core = coreWith({ facts: { task: 31_000 } });
  const plan = planCompaction(log.entries, core, { reason: 'threshold' });
  if (plan.type !== 'overflow') throw new Error(plan.type);
  const { error } = plan;
  const tried = error.details['tried'] as { attempt: number; tokens: number }[];
  expect(error.message).toBe(
    `The context of ${String(error.details['total'])} tokens cannot be brought under 17000: after ${tried.length} tries of policy ` +
      `"two-agent" ${tried.at(-1)?.tokens} tokens would be left. Use a model with a larger window, or lower the caps of facts ` +
      'and summary in the policy.',
  );
  expect(error.details).toMatchObject({
    window: 40_000,
    maxOutput: 4000,
    floor: 500,
    target: 17_000,
    policy: 'two-agent',
  });
  expect(tried.map(({ attempt }) => attempt)).toEqual(tried.map((_, n) => n + 1));
});

test('a transcript beyond the safety limits, in entries or in links (S4.10)', () => {
  const log = busyLog(4);
  const plan = (safety: { entries: number; edges: number }) => () =>
    planCompaction(log.entries, coreWith({ safety }), { reason: 'x' });
  expect(plan({ entries: 9, edges: 8 })).not.toThrow();
  for (const safety of [
    { entries: 8, edges: 8 },
    { entries: 9, edges: 7 },
  ]) {
    const error = refused(plan(safety));
    expect([error.code, error.details]).toEqual(['safety_limit_exceeded', { entries: 9, edges: 8, limits: safety }]);
    expect(error.message).toBe(
      `The transcript has 9 entries with 8 links to parents; policy "two-agent" allows ${safety.entries} and ${safety.edges}. ` +
        'Begin a new session, or raise safety in the policy.',
    );
  }
});

describe('compaction without progress (T2)', () => {
  test('a measured context that is hardly smaller', () => {
    const log = busyLog(12, 1200);
    const { id, receipt } = compact(log, coreWith());
    const measured = Math.ceil(receipt.tokensBefore * 0.95);
    log.step([{ result: 'r' }], { usage: measured - 1 });
    expect(checkBreaker(log.entries, coreWith().policy).state).toBe('closed');
    log.entries.splice(-2);
    log.step([{ result: 'r' }], { usage: measured });
    const breaker = checkBreaker(log.entries, coreWith().policy);
    if (breaker.state !== 'stuck') throw new Error(breaker.state);
    expect(breaker.error.details).toEqual({ tokensBefore: receipt.tokensBefore, measured });
    expect(breaker.error.message).toBe(
      `Compaction makes no progress: compaction ${id} brought ${receipt.tokensBefore} tokens to ${measured}. Use a model with a ` +
        'larger window, or lower keep.share and the caps of facts and summary in the context policy.',
    );
  });
});

test('a compaction that covers what does not stand before it is corrupt', () => {
  const log = busyLog(12, 1200);
  const made = compact(log, coreWith());
  made.coversThrough = 'e999';
  const error = refused(() => view(log.entries));
  expect([error.code, error.message]).toEqual([
    'data_corrupt',
    `Compaction ${made.id} covers through e999, which does not stand before it.`,
  ]);
  expect(error.details).toEqual({ compaction: made.id, coversThrough: 'e999' });
});

describe('the planner of triggers', () => {
  const session: Session = {
    ...{ fixed: 5000, answer: 200, result: 800, calls: 100, summary: 1000, keep: 2000 },
    weights: { write: 1.25, read: 0.1, output: 5 },
  };

  test('refuses a window in which none can work, with the numbers', () => {
    const error = refused(() => planTrigger({ session, window: 20_000, maxOutput: 4000, reserve: 1000 }));
    expect(error.details).toEqual({ window: 20_000, lowest: 16_000, highest: 15_000 });
    expect(error.message).toBe(
      'No trigger can work in a window of 20000 tokens: a compacted context with 8 steps takes 16000, and after the output cap ' +
        'and the reserve only 15000 are left. Take a model with a larger window, or a smaller fixed part (5000), summary (1000) ' +
        'or kept part (2000).',
    );
    expect(() => planTrigger({ session, window: 21_000, maxOutput: 4000, reserve: 1000 })).not.toThrow();
    const still = { ...session, answer: 0, result: 0 };
    expect(() => planTrigger({ session: still, window: 200_000, maxOutput: 4000, reserve: 1000 })).toThrow(
      HarnessError,
    );
  });

  test('a session tells its largest request, its compactions and its clearings', () => {
    const grown = 5000 + 1000 * 99;
    expect(sessionCost(session, {})).toMatchObject({ peak: grown, compactions: 0, clears: 0 });
    const compacted = sessionCost(session, { compactAbove: 20_000 });
    expect(compacted.peak).toBe(20_000);
    expect(compacted.compactions).toBe(7);
    const cleared = sessionCost(session, { clear: { keepResults: 5, stub: 10 } });
    expect(cleared.clears).toBe(94);
    expect(cleared.peak).toBeLessThan(grown / 2);
  });
});
