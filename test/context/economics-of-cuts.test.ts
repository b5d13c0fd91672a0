/** What a rewrite costs and when it pays: growth, the target that follows it, the break-even in the receipt (T28, Y10). */
import { describe, expect, test } from 'vitest';
import { computeEconomics } from '../../src/context/record/build-receipt.ts';
import { compactionTarget, stepGrowth } from '../../src/context/plan/compaction-inputs.ts';
import { shouldCompact } from '../../src/context/index.ts';
import { splitSteps } from '../../src/transcript/step.ts';
import { compactBy, shippedPolicy, smallCore } from '../support/policies.ts';
import { busyLog, usageOf } from '../support/transcripts.ts';

const policy = shippedPolicy('two-agent');

describe('break-even', () => {
  const base = { growth: 2000, target: 10_000, trigger: 100_000, cold: false };

  test('clearing P tokens with S behind them pays after 11.5 × S / P calls', () => {
    const made = computeEconomics({ ...base, before: 60_000, after: 40_000, rewritten: 20_000 }, policy);
    expect(made.breakEvenCalls).toBeCloseTo((11.5 * 20_000) / 20_000, 1);
    expect(made.callsExpected).toBe(30);
  });

  test('the summary’s call is part of the price', () => {
    const usage = { ...usageOf(1000, 2000), cache_read_input_tokens: 90_000 };
    const warm = computeEconomics({ ...base, before: 100_000, after: 20_000, rewritten: 15_000, usage }, policy);
    expect(warm.breakEvenCalls).toBeCloseTo((1.15 * 15_000 + 1000 + 9000 + 10_000) / (0.1 * 80_000), 1);
  });

  test('in a cold cache the summary’s call writes what had to be written anyway, and what is gone is not written again', () => {
    const usage = { ...usageOf(0, 2000), cache_creation_input_tokens: 100_000 };
    const made = { ...base, before: 100_000, after: 20_000, rewritten: 15_000, cold: true };
    const asked = computeEconomics({ ...made, usage }, policy);
    expect(asked.breakEvenCalls).toBeCloseTo((1.25 * 100_000 + 10_000 - 1.15 * 80_000) / 8000, 1);
    expect(computeEconomics(made, policy).breakEvenCalls).toBe(0);
  });

  test('what the server compacted is paid by its iterations (T30)', () => {
    const usage = { ...usageOf(0, 0), iterations: [{ type: 'compaction', ...usageOf(1000, 2000) }] };
    const made = computeEconomics({ ...base, before: 100_000, after: 20_000, rewritten: 0, usage }, policy);
    expect(made.breakEvenCalls).toBeCloseTo(11_000 / 8000, 1);
  });

  test('a rewrite that saves nothing never pays', () => {
    expect(computeEconomics({ ...base, before: 5000, after: 5000, rewritten: 100 }, policy).breakEvenCalls).toBeNull();
  });
});

describe('growth', () => {
  const units = (tokens: number) => splitSteps(busyLog(30, tokens).entries);

  test('is the median of the latest steps, in real tokens', () => {
    const one = stepGrowth(units(1000), 1);
    expect(stepGrowth(units(1000), 1.5)).toBe(Math.ceil(one * 1.5));
    expect(stepGrowth(units(2000), 1)).toBeGreaterThan(one * 1.7);
    expect(stepGrowth([], 1)).toBe(0);
  });

  test('lowers the target so that so many steps fit, but never under its floor, and never above the ratio', () => {
    const pressure = { ...shouldCompact([], smallCore('two-agent')), trigger: 100_000, target: 60_000 };
    const aim = (growth: number, steps?: number) =>
      compactionTarget(
        { ...policy, target: { ratio: 0.6, least: 0.25, ...(steps === undefined ? {} : { steps }) } },
        pressure,
        growth,
      );
    expect(aim(1000)).toBe(60_000);
    expect(aim(1000, 50)).toBe(50_000);
    expect(aim(100, 50)).toBe(60_000);
    expect(aim(9000, 50)).toBe(25_000);
  });

  test('a goal that cannot be reached is no reason to fail: the target itself is enough', () => {
    const greedy = smallCore('two-agent', { target: { ratio: 0.6, steps: 500, least: 0.05 } });
    const { plan, accepted } = compactBy(busyLog(14, 1200), greedy, ['x [#e3]']);
    expect(accepted).toMatchObject({ ok: true });
    expect(plan.type === 'cut' && plan.goal).toBeLessThan(2000);
  });
});

test('the receipt says what left and where it is, by whose policy, on what measure, and when it pays', () => {
  const log = busyLog(13, 1200);
  log.step([{ result: 'r' }], { usage: 15_000 });
  const { accepted } = compactBy(log, smallCore('two-agent'), ['x [#e3]']);
  if (accepted?.ok !== true) throw new Error('refused');
  expect(accepted.entry.receipt).toMatchObject({
    policy: 'two-agent',
    source: 'usage',
    left: [{ through: 'e23', why: 'summarised' }],
    economics: { cold: false, growth: expect.any(Number) as number, breakEvenCalls: expect.any(Number) as number },
  });
  const { tokensBefore, tokensAfter, economics } = accepted.entry.receipt;
  expect(tokensAfter).toBeLessThan(tokensBefore);
  expect(economics?.rewritten).toBeLessThanOrEqual(tokensAfter);
});
