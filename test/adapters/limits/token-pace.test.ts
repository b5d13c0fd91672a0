/** A minute's allowance is spread over the minute, and a provider that says little is left is not asked for more. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyRateLimitRequest,
  EMPTY_RATE_LIMIT_STATE,
  type RateLimitRequest,
  type RateLimitState,
} from '../../../src/adapters/limits/rate-limit-state.ts';
import type { LaneLimit } from '../../../src/ports/limits.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const MINUTE = 60_000;
type Call = { tokens: number; uses?: number };

/** Calls one after the other, each as early as it may: the times at which they went. */
function play(
  calls: readonly Call[],
  limit: LaneLimit,
  learn?: (now: number, nth: number) => RateLimitRequest | undefined,
) {
  let book: RateLimitState = EMPTY_RATE_LIMIT_STATE;
  let now = 1_000_000;
  const ask = (request: RateLimitRequest) => {
    const { book: after, answer } = applyRateLimitRequest(book, request, now);
    book = after;
    return answer.waitMs;
  };
  return calls.map(({ tokens, uses = tokens }, nth) => {
    const id = `c${nth}`;
    const enter: RateLimitRequest = { type: 'enter', id, tokens, limit, windowMs: MINUTE, again: false };
    for (let waitMs = ask(enter); waitMs > 0; waitMs = ask(enter)) now += waitMs;
    ask({ type: 'leave', id, tokens: uses, limit, windowMs: MINUTE });
    const said = learn?.(now, nth);
    if (said !== undefined) ask(said);
    return now - 1_000_000;
  });
}

const slots = (times: readonly number[], slotMs: number, slotCount: number) =>
  Array.from({ length: slotCount }, (_, slot) => times.filter((at) => Math.floor(at / slotMs) === slot).length);

test('240 requests a minute are 20 in each five seconds, not all in the first half of it', () => {
  const times = play(
    Array.from({ length: 480 }, () => ({ tokens: 0 })),
    { requestsPerMinute: 240 },
  );
  for (const count of slots(times, 5000, 24)) {
    expect(count).toBeGreaterThanOrEqual(16);
    expect(count).toBeLessThanOrEqual(24);
  }
});

test('tokens are spread by what calls used, also where less was expected', () => {
  const calls = Array.from({ length: 60 }, () => ({ tokens: 500, uses: 1000 }));
  const times = play(calls, { tokensPerMinute: 60_000 });
  for (const count of slots(times, 5000, 11)) {
    expect(count).toBeGreaterThanOrEqual(4);
    expect(count).toBeLessThanOrEqual(6);
  }
});

test('a provider whose headers are read refuses nothing, whatever its limits are', () => {
  const provider = fc.record({
    limit: fc.integer({ min: 5, max: 200 }),
    inputLimit: fc.integer({ min: 2000, max: 50_000 }),
    tokens: fc.integer({ min: 1, max: 1000 }),
  });
  fc.assert(
    fc.property(provider, ({ limit, inputLimit, tokens }) => {
      // Token buckets, as the API has them: full at first, refilled evenly.
      let left = { requests: limit, input: inputLimit, at: 1_000_000 };
      let refused = 0;
      play(
        Array.from({ length: 300 }, () => ({ tokens })),
        {},
        (now) => {
          const minutes = (now - left.at) / MINUTE;
          left = {
            at: now,
            requests: Math.min(limit, left.requests + minutes * limit) - 1,
            input: Math.min(inputLimit, left.input + minutes * inputLimit) - tokens,
          };
          if (left.requests < 0 || left.input < 0) refused += 1;
          const remaining = (of: number) => Math.max(0, Math.floor(of));
          return {
            type: 'learn',
            allowances: {
              requests: { limit, remaining: remaining(left.requests) },
              inputTokens: { limit: inputLimit, remaining: remaining(left.input) },
            },
          };
        },
      );
      expect(refused).toBe(0);
    }),
    propertyRuns(60),
  );
});

test('what was learnt long ago says nothing any more, and a call larger than the whole allowance goes at last', () => {
  const once = (request: RateLimitRequest) => (_now: number, nth: number) => (nth === 0 ? request : undefined);
  const empty = once({ type: 'learn', allowances: { requests: { limit: 60, remaining: 0 } } });
  const [first = 0, second = 0, third = 0] = play([{ tokens: 1 }, { tokens: 1 }, { tokens: 1 }], {}, empty);
  expect(second - first).toBeGreaterThanOrEqual(1000);
  expect(third - second).toBeLessThanOrEqual(1001);
  const small = once({ type: 'learn', allowances: { tokens: { limit: 100, remaining: 100 } } });
  const [, large = 0] = play([{ tokens: 1 }, { tokens: 5000 }], {}, small);
  expect(large).toBeLessThanOrEqual(MINUTE);
});
