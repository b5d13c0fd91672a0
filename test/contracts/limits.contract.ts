/** What every keeper of limits must do, for all who share it. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { RateLimitStore } from '../../src/adapters/limits/rate-limit-state.ts';
import { openRateLimiter } from '../../src/adapters/limits/rate-limiter.ts';
import type { Limit, RateLimiter } from '../../src/ports/limits.ts';

const signal = new AbortController().signal;
const quiet = (): void => undefined;

/** `open` makes one store and the doors to it that several processes would have. */
export function limitsContract(
  name: string,
  open: () => Promise<{ doors: RateLimitStore[]; close: () => Promise<void> }>,
  /** `slackMs`: between the store's clock and the one here. */
  { windowMs, slackMs }: { windowMs: number; slackMs: number },
): void {
  describe(`limits contract: ${name}`, () => {
    let lanes = 0;
    const shared = async (
      work: (processes: RateLimiter[], lane: (limit: Limit) => { lane: string; limit: Limit }) => Promise<void>,
    ) => {
      const { doors, close } = await open();
      const processes = doors.map((door) => openRateLimiter(door, { windowMs }));
      const own = `p/m${(lanes += 1)}`;
      try {
        await work(processes, (limit) => ({ lane: own, limit }));
      } finally {
        for (const limits of processes) limits.close();
        await close();
      }
    };

    test('in no window are there more requests than the limit, over all processes, and none of them starves', () =>
      shared(async (processes, lane) => {
        const most = 5;
        const entered: { at: number; by: number }[] = [];
        await Promise.all(
          processes.flatMap((limits, by) =>
            Array.from({ length: 7 }, async () => {
              const place = await limits.enter(lane({ requestsPerMinute: most }), { tokens: 0, onWait: quiet, signal });
              entered.push({ at: performance.now(), by });
              place.leave();
            }),
          ),
        );
        expect(entered).toHaveLength(processes.length * 7);
        for (const { at } of entered) {
          const inWindow = entered.filter((other) => other.at >= at && other.at < at + windowMs - slackMs);
          expect(inWindow.length).toBeLessThanOrEqual(most);
        }
        // While all of them wait, they take turns.
        const counts = processes.map(() => 0);
        for (const { by } of entered.slice(0, processes.length * 5)) counts[by] = (counts[by] ?? 0) + 1;
        expect(Math.min(...counts)).toBeGreaterThanOrEqual(3);
      }));

    test('nor more tokens, by what was expected and then by what was used; a call larger than the limit goes alone', () =>
      shared(async ([one], lane) => {
        const of = lane({ tokensPerMinute: 100 });
        const started = performance.now();
        const small = await one?.enter(of, { tokens: 10, onWait: quiet, signal });
        small?.leave(90);
        const next = await one?.enter(of, { tokens: 20, onWait: quiet, signal });
        expect(performance.now() - started).toBeGreaterThanOrEqual(windowMs - slackMs);
        next?.leave(20);
        const large = await one?.enter(of, { tokens: 500, onWait: quiet, signal });
        expect(performance.now() - started).toBeGreaterThanOrEqual(2 * windowMs - slackMs);
        large?.leave(500);
      }));

    test('no more calls at the same time than allowed; a place that is left is given on', () =>
      shared(async (processes, lane) => {
        let [now, most] = [0, 0];
        await Promise.all(
          processes.flatMap((limits) =>
            Array.from({ length: 4 }, async () => {
              const place = await limits.enter(lane({ concurrency: 2 }), { tokens: 0, onWait: quiet, signal });
              now += 1;
              most = Math.max(most, now);
              await delay(15);
              now -= 1;
              place.leave();
            }),
          ),
        );
        expect(most).toBe(2);
      }));

    test('a pause that the provider asked for holds for every process, limited or not', () =>
      shared(async ([one, other], lane) => {
        for (const limit of [{}, { concurrency: 3 }]) {
          const of = lane(limit);
          const started = performance.now();
          await one?.pause(of.lane, windowMs);
          const told: string[] = [];
          const place = await (other ?? one)?.enter(of, { tokens: 0, onWait: ({ why }) => told.push(why), signal });
          expect(performance.now() - started).toBeGreaterThanOrEqual(windowMs - slackMs);
          expect(told[0]).toContain('asked for a pause');
          place?.leave();
        }
      }));

    test('what one process learns from the provider slows every process down, limited or not', () =>
      shared(async ([one, other], lane) => {
        for (const limit of [{}, { requestsPerMinute: 1000 }]) {
          const of = lane(limit);
          await one?.learn(of.lane, {
            requests: { limit: 10, remaining: 0 },
            inputTokens: { limit: 100, remaining: 90 },
          });
          const started = performance.now();
          const told: string[] = [];
          const place = await (other ?? one)?.enter(of, { tokens: 5, onWait: ({ why }) => told.push(why), signal });
          // One request and a reserve of one more are refilled in two tenths of a minute.
          expect(performance.now() - started).toBeGreaterThanOrEqual(windowMs / 5 - slackMs);
          expect(told[0]).toContain('what the provider allows');
          place?.leave();
          await one?.learn(of.lane, { requests: { limit: 10, remaining: 10 } });
        }
      }));

    test('calls are spread over the window, whichever process makes them', () =>
      shared(async (processes, lane) => {
        const times: number[] = [];
        const enter = async (limits: RateLimiter) => {
          const place = await limits.enter(lane({ requestsPerMinute: 10 }), { tokens: 0, onWait: quiet, signal });
          times.push(performance.now());
          place.leave();
        };
        await Promise.all(processes.flatMap((limits) => [enter(limits), enter(limits)]));
        const [first = 0] = times;
        expect((times.at(-1) ?? 0) - first).toBeGreaterThanOrEqual(((times.length - 1) * windowMs) / 10 - slackMs);
      }));

    test('who stops waiting leaves the line at once, and holds nobody up', () =>
      shared(async ([one, other], lane) => {
        const of = lane({ concurrency: 1 });
        const held = await one?.enter(of, { tokens: 0, onWait: quiet, signal });
        const stop = new AbortController();
        const waiting = one?.enter(of, { tokens: 0, onWait: quiet, signal: stop.signal });
        await delay(30);
        stop.abort(new Error('cancelled'));
        await expect(waiting).rejects.toThrow('cancelled');
        held?.leave();
        const started = performance.now();
        (await (other ?? one)?.enter(of, { tokens: 0, onWait: quiet, signal }))?.leave();
        expect(performance.now() - started).toBeLessThan(2_000);
      }));

    test('a call that is tried again is one more request, and keeps its place', () =>
      shared(async ([one], lane) => {
        const of = lane({ requestsPerMinute: 2, concurrency: 1 });
        const started = performance.now();
        const place = await one?.enter(of, { tokens: 0, onWait: quiet, signal });
        await place?.again(signal);
        expect(performance.now() - started).toBeLessThan(windowMs - slackMs);
        await place?.again(signal);
        expect(performance.now() - started).toBeGreaterThanOrEqual(windowMs - slackMs);
        place?.leave();
      }));
  });
}
