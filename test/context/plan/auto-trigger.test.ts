/** `trigger: auto`: where it goes, what it never does, and that its formula is the cheapest by the cost model, which is written apart. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptSummary, planCompaction, shouldCompact } from '../../../src/context/index.ts';
import { autoTrigger, type SessionPace } from '../../../src/context/plan/auto-trigger.ts';
import { sessionCost, planTrigger } from '../../../bench/context/economics.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { coreWith, createLog, policyWith, summaryAnswer } from '../../support/transcripts.ts';

const policy = policyWith({});
const { target, keep } = policy;
const paceOf = (steps: number[], more: Partial<SessionPace> = {}): SessionPace => ({
  steps,
  calls: 0,
  cold: 0,
  ...more,
});
const even = (count: number, tokens = 2750) => Array.from({ length: count }, () => tokens);
const ask = (pace: SessionPace, more: object = {}) =>
  autoTrigger({ pace, policy, floor: 10_000, ratio: 1, ceiling: 150_000, ...more });

describe('where it goes', () => {
  test('nowhere until the pace is known, and not before a third of the steps so far would pay for it', () => {
    expect(ask(paceOf(even(7)))).toBeUndefined();
    expect(ask(paceOf(even(9)))?.trigger).toBe(150_000);
    expect(ask(paceOf(even(60)))?.trigger).toBeLessThan(100_000);
  });

  test('later with larger steps and cheaper reads, earlier with pauses in which the cache expires', () => {
    const usual = ask(paceOf(even(60)))?.trigger ?? 0;
    const cheap = { ...policy, economics: { ...policy.economics, read: 0.05 } };
    expect(ask(paceOf(even(60, 4000)))?.trigger).toBeGreaterThan(usual);
    expect(ask(paceOf(even(60)), { policy: cheap })?.trigger).toBeGreaterThan(usual);
    expect(ask(paceOf(even(60), { calls: 100, cold: 10 }))?.trigger).toBeLessThan(usual);
    expect(ask(paceOf(even(60), { calls: 100, cold: 10 }))).toMatchObject({ pauses: 0.1, growth: 2750 });
  });

  test('one huge result says nothing of the steps to come', () => {
    expect(ask(paceOf([...even(30), 125_000, ...even(29)]))?.growth).toBeLessThan(3000);
  });

  test.each([150_000, 700_000])('within 2 % of the cheapest of all triggers by the cost model, below %i', (ceiling) => {
    for (const [result, fixed] of [
      [2500, 10_000],
      [800, 4000],
      [6000, 20_000],
    ] as const) {
      const steps = even(60, 250 + result);
      const found = ask(paceOf(steps), { floor: fixed, ceiling })?.trigger ?? 0;
      const session = {
        ...{ fixed, answer: 250, result, calls: 800, summary: policy.summary.maxTokens },
        ...{ keep: keep.steps * (250 + result), weights: policy.economics },
      };
      const plan = planTrigger({ session, window: ceiling + 36_000, maxOutput: 16_000, reserve: 20_000 });
      const cost = sessionCost(session, { compactAbove: found }).total;
      expect(cost / plan.cheapest.cost).toBeLessThan(1.02);
    }
  });
});

test('a session that ends right after its first early compaction pays up to a tenth more; no trigger that saves can promise 1.02 for every end', () => {
  const [growth, ceiling] = [2750, 150_000];
  const cost = (calls: number, above: number) => {
    const session = { fixed: 10_000, answer: 275, result: 2475, calls, summary: policy.summary.maxTokens / 2 };
    const all = { ...session, keep: keep.steps * growth, weights: policy.economics };
    return sessionCost(all, { compactAbove: above }).total;
  };
  /** The most that is paid beyond what the ratio would have cost, whenever the session ends. */
  const regret = (trigger: number) =>
    Math.max(...Array.from({ length: 110 }, (_, n) => cost(n + 1, trigger) / cost(n + 1, ceiling)));
  const steps = Array.from({ length: 60 }, (_, n) => n + 8);
  const triggers = steps.map((count) => ask(paceOf(even(count)), { ceiling })?.trigger ?? ceiling);
  const first = triggers.find((trigger, place) => 10_000 + (steps[place] ?? 0) * growth > trigger) ?? 0;
  expect(first).toBeLessThan(0.6 * ceiling);
  expect(regret(first)).toBeLessThan(1.12);
  expect(cost(400, first) / cost(400, ceiling)).toBeLessThan(0.8);
  // What would hold 1.02 for every end is the ratio itself.
  for (const share of [0.6, 0.75, 0.9]) expect(regret(share * ceiling)).toBeGreaterThan(1.02);
});

test('never above the ratio, and never so low that what stays does not fit', () => {
  const steps = fc.array(fc.integer({ min: 50, max: 60_000 }), { minLength: 8, maxLength: 80 });
  const cold = fc.integer({ min: 0, max: 50 });
  const ceiling = fc.integer({ min: 30_000, max: 700_000 });
  fc.assert(
    fc.property(steps, cold, ceiling, (list, pauses, most) => {
      const found = ask(paceOf(list, { calls: 50, cold: pauses }), { ceiling: most });
      if (found === undefined || found.trigger === most) return;
      const kept = list.slice(-keep.steps).reduce((sum, one) => sum + one, 0);
      expect(found.trigger).toBeLessThan(most);
      expect(found.trigger * target.ratio * keep.share).toBeGreaterThan(kept);
      expect(found.trigger * target.ratio).toBeGreaterThan(found.base);
    }),
    propertyRuns(300),
  );
});

describe('in a session', () => {
  const core = coreWith(
    { trigger: { ratio: undefined, tokens: 200_000, reserve: 2000, auto: true } },
    { window: 260_000 },
  );

  test('what moves with it, and what the receipt says', () => {
    const log = createLog();
    log.user('Read all of it.');
    while (!shouldCompact(log.entries, core).due) log.step([{ result: 'x y z '.repeat(500) }]);
    const pressure = shouldCompact(log.entries, core);
    expect(pressure.trigger).toBeLessThan(90_000);
    expect(pressure.target).toBe(Math.floor(pressure.trigger * core.policy.target.ratio));
    const plan = planCompaction(log.entries, core, { reason: 'threshold' });
    if (plan.type !== 'cut') throw new Error(plan.type);
    const made = acceptSummary(
      log.entries,
      core,
      plan,
      summaryAnswer({ state: 'under way', facts: ['it goes on [#e1]'] }),
    );
    if (!made.ok) throw new Error(made.detail);
    expect(made.entry.receipt.auto).toMatchObject({ trigger: pressure.trigger, ceiling: 200_000, pauses: 0 });
  });

  test('waits for the ratio where the facts do not fit under the early trigger', () => {
    const log = createLog();
    log.user('word '.repeat(2500), 'human');
    while (!shouldCompact(log.entries, core).due) log.step([{ result: 'x y z '.repeat(20) }]);
    expect(shouldCompact(log.entries, core).trigger).toBeLessThan(30_000);
    expect(planCompaction(log.entries, core, { reason: 'threshold' }).type).toBe('nothing');
    while (shouldCompact(log.entries, core).total < 200_000) log.step([{ result: 'x y z '.repeat(3000) }]);
    expect(planCompaction(log.entries, core, { reason: 'threshold' }).type).toBe('cut');
  });
});
