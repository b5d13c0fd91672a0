/** The book of a limited lane in Redis, by the server's clock: read, and written back if nobody else has meanwhile. */
import type { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import { applyRateLimitRequest, type RateLimitStore, readBook } from '../limits/rate-limit-state.ts';

/** Long after the last window and the last lease, nothing of a lane is left. */
const KEEP_MS = 60 * 60_000;
const MOST_TRIES = 200;

/** Milliseconds, which version of the book there is, and the book. */
const READ = `
local clock = redis.call('TIME')
local found = redis.call('HMGET', KEYS[1], 'version', 'book')
return { clock[1] * 1000 + math.floor(clock[2] / 1000), tonumber(found[1] or '0'), found[2] or '' }
`;
const WRITE = `
if tonumber(redis.call('HGET', KEYS[1], 'version') or '0') ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1] + 1, 'book', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`;

export function limitsInRedis(redis: Redis, space: string): RateLimitStore {
  return {
    ask: async (lane, ask) => {
      const key = `${space}:limits:{${lane}}`;
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const [now, version, text] = (await redis.eval(READ, 1, key)) as [number, number, string];
        const before = readBook(text === '' ? undefined : parseJson(text));
        const { book, answer } = applyRateLimitRequest(before, ask, now);
        if (book === before) return answer;
        if ((await redis.eval(WRITE, 1, key, version, JSON.stringify(book), KEEP_MS)) === 1) return answer;
        // Somebody else was faster: who waits for a moment of chance meets fewer.
        await delay(Math.random() * Math.min(20, 1 + tries));
      }
      throw new HarnessError('infrastructure', `Too many workers ask for the limits of ${lane} at once.`, {
        retryable: true,
      });
    },
  };
}
