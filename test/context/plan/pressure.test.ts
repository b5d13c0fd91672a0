/** When the context is compacted, and which windows are refused. */
import { describe, expect, test } from 'vitest';
import { checkWindow, shouldCompact } from '../../../src/context/index.ts';
import { estimateMessages } from '../../../src/transcript/tokens.ts';
import { busyLog, compact, coreWith, createLog, policyWith, usageOf } from '../../support/transcripts.ts';

const core = coreWith();

describe('shouldCompact', () => {
  test('counts input, cache reads, cache writes and output of the last call, and what came since (S0.6)', () => {
    const log = createLog();
    log.user('go');
    const call = log.step([{ result: 'r' }], { usage: 5000 });
    const asked = log.entries[1];
    if (asked?.type !== 'message' || asked.response === undefined) throw new Error('no answer');
    asked.response.usage = { ...usageOf(10, 200), cache_read_input_tokens: 15_000, cache_creation_input_tokens: 700 };
    const { total, source, ratio } = shouldCompact(log.entries, core);
    const since = call.type === 'message' ? estimateMessages([call.message]) : 0;
    expect({ total, source }).toEqual({ total: 15_910 + Math.ceil(since * ratio), source: 'usage' });
  });

  test('is due above the trigger, inside a turn too (T33)', () => {
    const log = busyLog(3);
    expect(shouldCompact(log.entries, core).due).toBe(false);
    log.step([{ result: 'r' }], { usage: 20_100 });
    expect(shouldCompact(log.entries, core)).toMatchObject({ due: true, urgent: false, trigger: 20_000 });
  });

  test('is urgent where the next call might not fit', () => {
    const log = busyLog(1);
    log.step([{ result: 'x'.repeat(100_000) }], { usage: 10_000 });
    expect(shouldCompact(log.entries, core)).toMatchObject({ urgent: true, hard: 36_000 });
  });

  test('usage measured before a compaction says nothing about the new view (T3, Y6)', () => {
    const log = busyLog(11);
    log.step([{ result: 'r' }], { usage: 25_000 });
    expect(shouldCompact(log.entries, core).due).toBe(true);
    compact(log, core);
    expect(shouldCompact(log.entries, core)).toMatchObject({ due: false, source: 'estimate' });
    log.human('a message of a person is no reason to compact again');
    expect(shouldCompact(log.entries, core).due).toBe(false);
    log.step([{ result: 'r' }], { usage: 6000 });
    expect(shouldCompact(log.entries, core)).toMatchObject({ due: false, source: 'usage' });
  });

  test('learns how many real tokens an estimated one is, and estimates with it', () => {
    const log = busyLog(4);
    const before = shouldCompact(log.entries, core);
    expect(before.ratio).toBe(1);
    const measured = before.total * 1.5;
    log.step([{ result: 'r' }], { usage: Math.round(measured) });
    expect(shouldCompact(log.entries, core).ratio).toBeCloseTo(1.5, 1);
  });

  test('ratio, absolute number and window: the smallest counts (S0.2, S1.15)', () => {
    const limits = (trigger: object, window: number) =>
      shouldCompact([], coreWith({ trigger: { tokens: undefined, reserve: 2000, ...trigger } }, { window })).trigger;
    expect(limits({ ratio: 0.75 }, 1_000_000)).toBe(750_000);
    expect(limits({ ratio: 0.75, tokens: 150_000 }, 1_000_000)).toBe(150_000);
    expect(limits({ ratio: undefined, tokens: 700_000 }, 200_000)).toBe(194_000);
    expect(limits({ ratio: 0.99 }, 100_000)).toBe(94_000);
  });
});

describe('checkWindow', () => {
  const policy = policyWith();

  test('takes the shipped policy on the windows of today', () => {
    for (const window of [200_000, 1_000_000])
      expect(() => checkWindow(policy, { window, maxOutput: 16_000, floor: 20_000 })).not.toThrow();
  });

  test('refuses a window that holds little more than the floor, before any call (T1, S0.22)', () => {
    const budget = { window: 32_000, maxOutput: 2000, floor: 29_000 };
    expect(() => checkWindow(policy, budget)).toThrow(expect.objectContaining({ code: 'context_overflow' }));
    expect(() => checkWindow(policy, budget)).toThrow(/window of 32000 .* take 29000.*lower summary\.maxTokens/);
  });

  test('refuses an output cap that leaves nothing to read with', () => {
    expect(() => checkWindow(policy, { window: 64_000, maxOutput: 64_000, floor: 100 })).toThrow(/too small/);
  });

  test('refuses where floor and summary alone would stand above the target', () => {
    const tight = policyWith({
      trigger: { ratio: 0.75, reserve: 0 },
      target: { ratio: 0.1 },
      keep: { steps: 3, maxTokens: 0 },
    });
    expect(() => checkWindow(tight, { window: 100_000, maxOutput: 1000, floor: 9500 })).toThrow(/must get under 9900/);
  });
});
