/** Calls before which a place at the provider is taken: without money, counted try by try, told to people. */
import { limitsInSqlite } from '../../../src/adapters/limits/limits-in-sqlite.ts';
import { afterEach, expect, test } from 'vitest';
import { createModelLimiter } from '../../../src/adapters/limits/model-limiter.ts';
import { openRateLimiter } from '../../../src/adapters/limits/rate-limiter.ts';
import { createPaidModel } from '../../../src/pipeline/spending/paid-model.ts';
import type { RateLimiter } from '../../../src/ports/limits.ts';
import type { Model, ModelFacts, ModelRequest, ModelResponse } from '../../../src/ports/model.ts';

const live = new AbortController().signal;
let limits: RateLimiter | undefined;
afterEach(() => limits?.close());

const request = (): ModelRequest => ({ model: 'm', system: [], tools: [], messages: [], max_tokens: 10 });
const usage = { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 100, cache_creation_input_tokens: 1 };
const response: ModelResponse = { id: 'a', model: 'm', content: [], stopReason: 'end_turn', usage };

function placesFor(limit: Parameters<RateLimiter['enter']>[0]['limit'], windowMs = 200) {
  const opened = openRateLimiter(limitsInSqlite(':memory:'), { windowMs });
  limits = opened;
  const told: string[] = [];
  const laneOf = (model: string) => ({ lane: `p/${model}`, limit });
  return { told, ...createModelLimiter({ limits: opened, laneOf, tell: ({ why }) => told.push(why) }) };
}

test('a call that waits has reserved nothing; its place is free again whatever becomes of it', async () => {
  const { limited, told } = placesFor({ concurrency: 1 });
  const first = Promise.withResolvers<ModelResponse>();
  const calls: Promise<ModelResponse>[] = [first.promise, Promise.reject(new Error('529')), Promise.resolve(response)];
  calls[1]?.catch(() => undefined);
  const model = limited({ call: async () => (await calls.shift()) ?? response });
  const reserved: string[] = [];
  const facts = { price: { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 } } as ModelFacts;
  const paid = (lane: string) =>
    createPaidModel({
      ...{ model, facts, capUsd: 1, agent: 'subject', lane, onPaid: () => undefined },
      attempt: { step: 's', recall: async () => undefined, remember: async () => undefined },
      spending: {
        reserve: async ({ call, worstUsd }) => {
          reserved.push(call);
          return { nth: 0, usd: worstUsd };
        },
        settle: async () => 0,
        fail: async () => undefined,
        release: async () => undefined,
        writeOff: async () => undefined,
        list: async () => [],
        pack: async () => undefined,
      },
    });
  const one = paid('one').call(request(), live);
  const two = paid('two').call(request(), live);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(reserved).toHaveLength(1);
  expect(told[0]).toBe('as many calls as allowed are running');
  first.resolve(response);
  await one;
  await expect(two).rejects.toThrow('529');
  expect(reserved).toHaveLength(2);
  await paid('three').call(request(), live);
});

test('what the answer used counts, without what came from the cache', async () => {
  const { limited } = placesFor({ tokensPerMinute: 12 }, 300);
  const model = limited({ call: async () => response });
  const started = performance.now();
  // Six tokens each, once they are answered.
  await model.call(request(), live);
  const small = { ...request(), model: 'm' };
  await model.call(small, live);
  expect(performance.now() - started).toBeLessThan(250);
  await model.call(request(), live);
  expect(performance.now() - started).toBeGreaterThanOrEqual(280);
});

test('a try after a 429 waits for the pause with everybody else, and counts as a request', async () => {
  const { limited, again, told } = placesFor({ requestsPerMinute: 2 }, 400);
  const seen: number[] = [];
  const inner: Model = {
    call: async (asked, signal) => {
      seen.push(performance.now());
      if (seen.length === 1) {
        await again(asked, 150, signal);
        seen.push(performance.now());
      }
      return response;
    },
  };
  const model = limited(inner);
  const both = [
    model.call(request(), live),
    new Promise((resolve) => setTimeout(resolve, 20)).then(() => model.call(request(), live)),
  ];
  await Promise.all(both);
  const [start = 0, retried = 0, other = 0] = seen;
  expect(retried - start).toBeGreaterThanOrEqual(140);
  expect(other - start).toBeGreaterThanOrEqual(390);
  expect(told).toContain('the provider asked for a pause');
});
