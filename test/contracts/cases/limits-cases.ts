/** The rules of every rate limiter, for all processes that share its limits. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { LaneLimit, LimitedLane, RateLimiter } from '../../../src/ports/limits.ts';
import { type ContractCase } from './contract-case.ts';
import { assertRejects } from './assertions.ts';

/** The limiters of several processes that share one store. */
export type LimitsUnderTest = { processes: readonly RateLimiter[]; close: () => Promise<void> };
/** The length of the limiters' minute, and the largest difference between the clocks of the store and this machine. */
export type LimitTimes = { windowMs: number; slackMs: number };

type LimitsCheck = (
  processes: readonly RateLimiter[],
  lane: (limit: LaneLimit) => LimitedLane,
  times: LimitTimes,
) => Promise<void>;

const signal = new AbortController().signal;
const doNothing = (): void => undefined;

const CHECKS: Readonly<Record<string, LimitsCheck>> = {
  'in no window are there more requests than the limit, over all processes, and none of them starves': async (
    processes,
    lane,
    { windowMs, slackMs },
  ) => {
    const most = 5;
    const entered: { at: number; by: number }[] = [];
    await Promise.all(
      processes.flatMap((limits, by) =>
        Array.from({ length: 7 }, async () => {
          const place = await limits.enter(lane({ requestsPerMinute: most }), { tokens: 0, onWait: doNothing, signal });
          entered.push({ at: performance.now(), by });
          place.leave();
        }),
      ),
    );
    assert.equal(entered.length, processes.length * 7);
    for (const { at } of entered) {
      const inWindow = entered.filter((other) => other.at >= at && other.at < at + windowMs - slackMs);
      assert.ok(inWindow.length <= most);
    }
    // While all processes wait, they take turns.
    const counts = processes.map(() => 0);
    for (const { by } of entered.slice(0, processes.length * 5)) counts[by] = (counts[by] ?? 0) + 1;
    assert.ok(Math.min(...counts) >= 3);
  },
  'nor more tokens, by what was expected and then by what was used; a call larger than the limit goes alone': async (
    [one],
    lane,
    { windowMs, slackMs },
  ) => {
    const of = lane({ tokensPerMinute: 100 });
    const started = performance.now();
    const small = await one?.enter(of, { tokens: 10, onWait: doNothing, signal });
    small?.leave(90);
    const next = await one?.enter(of, { tokens: 20, onWait: doNothing, signal });
    assert.ok(performance.now() - started >= windowMs - slackMs);
    next?.leave(20);
    const large = await one?.enter(of, { tokens: 500, onWait: doNothing, signal });
    assert.ok(performance.now() - started >= 2 * windowMs - slackMs);
    large?.leave(500);
  },
  'no more calls at the same time than allowed; a place that is left is given on': async (processes, lane) => {
    let [now, most] = [0, 0];
    await Promise.all(
      processes.flatMap((limits) =>
        Array.from({ length: 4 }, async () => {
          const place = await limits.enter(lane({ concurrency: 2 }), { tokens: 0, onWait: doNothing, signal });
          now += 1;
          most = Math.max(most, now);
          await delay(15);
          now -= 1;
          place.leave();
        }),
      ),
    );
    assert.equal(most, 2);
  },
  'a pause that the provider asked for holds for every process, limited or not': async (
    [one, other],
    lane,
    { windowMs, slackMs },
  ) => {
    for (const limit of [{}, { concurrency: 3 }]) {
      const of = lane(limit);
      const started = performance.now();
      await one?.pause(of.lane, windowMs);
      const reasons: string[] = [];
      const place = await (other ?? one)?.enter(of, { tokens: 0, onWait: ({ why }) => reasons.push(why), signal });
      assert.ok(performance.now() - started >= windowMs - slackMs);
      assert.match(reasons[0] ?? '', /asked for a pause/);
      place?.leave();
    }
  },
  'what one process learns from the provider slows every process down, limited or not': async (
    [one, other],
    lane,
    { windowMs, slackMs },
  ) => {
    for (const limit of [{}, { requestsPerMinute: 1000 }]) {
      const of = lane(limit);
      await one?.learn(of.lane, {
        requests: { limit: 10, remaining: 0 },
        inputTokens: { limit: 100, remaining: 90 },
      });
      const started = performance.now();
      const reasons: string[] = [];
      const place = await (other ?? one)?.enter(of, { tokens: 5, onWait: ({ why }) => reasons.push(why), signal });
      // Refilling one request and a reserve of one takes two tenths of a minute.
      assert.ok(performance.now() - started >= windowMs / 5 - slackMs);
      assert.match(reasons[0] ?? '', /what the provider allows/);
      place?.leave();
      await one?.learn(of.lane, { requests: { limit: 10, remaining: 10 } });
    }
  },
  'calls are spread over the window, whichever process makes them': async (processes, lane, { windowMs, slackMs }) => {
    const times: number[] = [];
    const enter = async (limits: RateLimiter) => {
      const place = await limits.enter(lane({ requestsPerMinute: 10 }), { tokens: 0, onWait: doNothing, signal });
      times.push(performance.now());
      place.leave();
    };
    await Promise.all(processes.flatMap((limits) => [enter(limits), enter(limits)]));
    const [first = 0] = times;
    assert.ok((times.at(-1) ?? 0) - first >= ((times.length - 1) * windowMs) / 10 - slackMs);
  },
  'who stops waiting leaves the line at once, and holds nobody up': async ([one, other], lane) => {
    const of = lane({ concurrency: 1 });
    const held = await one?.enter(of, { tokens: 0, onWait: doNothing, signal });
    const stop = new AbortController();
    const waiting = one?.enter(of, { tokens: 0, onWait: doNothing, signal: stop.signal });
    await delay(30);
    stop.abort(new Error('cancelled'));
    await assertRejects(waiting, { message: /cancelled/ });
    held?.leave();
    const started = performance.now();
    (await (other ?? one)?.enter(of, { tokens: 0, onWait: doNothing, signal }))?.leave();
    assert.ok(performance.now() - started < 2_000);
  },
  'a call that is tried again is one more request, and keeps its place': async ([one], lane, { windowMs, slackMs }) => {
    const of = lane({ requestsPerMinute: 2, concurrency: 1 });
    const started = performance.now();
    // By the waits that it is told of: a clock would tell of a busy machine too.
    let longestMs = 0;
    const onWait = ({ waitMs }: { waitMs: number }): number => (longestMs = Math.max(longestMs, waitMs));
    const place = await one?.enter(of, { tokens: 0, onWait, signal });
    await place?.again(signal);
    // Two requests a window are half a window apart.
    assert.ok(longestMs < (windowMs * 2) / 3);
    await place?.again(signal);
    assert.ok(performance.now() - started >= windowMs - slackMs);
    place?.leave();
  },
};

export function limitsCases(open: () => Promise<LimitsUnderTest>, times: LimitTimes): ContractCase[] {
  return Object.entries(CHECKS).map(([title, check], number) => ({
    title,
    run: async () => {
      const { processes, close } = await open();
      try {
        await check(processes, (limit) => ({ lane: `p/m${number}`, limit }), times);
      } finally {
        for (const limits of processes) limits.close();
        await close();
      }
    },
  }));
}
