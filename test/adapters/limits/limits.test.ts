/** Limits kept in one process, and what the book says of those who died. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitsInSqlite } from '../../../src/adapters/limits/limits-in-sqlite.ts';
import {
  applyRateLimitRequest,
  EMPTY_RATE_LIMIT_STATE,
  SLOT_LEASE_MS,
  type RateLimitRequest,
  type RateLimitState,
} from '../../../src/adapters/limits/rate-limit-state.ts';
import { openRateLimiter } from '../../../src/adapters/limits/rate-limiter.ts';
import { scratch } from '../../support/scratch.ts';
import { limitsContract } from '../../contracts/limits.contract.ts';

limitsContract(
  'in memory',
  async () => {
    const store = limitsInSqlite(':memory:');
    return { doors: [store, store, store], close: async () => undefined };
  },
  { windowMs: 300, slackMs: 25 },
);

limitsContract(
  'in one file of several processes',
  async () => {
    const path = join(await scratch(), '.tandem/limits.sqlite');
    const doors = [1, 2, 3].map(() => limitsInSqlite(path));
    return { doors, close: async () => doors.forEach((door) => door.close()) };
  },
  { windowMs: 300, slackMs: 100 },
);

test('a book that is damaged counts as an empty one, and one of another process is read', async () => {
  const path = join(await scratch(), 'limits.sqlite');
  const [one, other] = [limitsInSqlite(path), limitsInSqlite(path)];
  await one.ask('lane', { type: 'pause', ms: 5000 });
  expect((await other.ask('lane', enter('a'))).why).toBe('paused');
  const database = new DatabaseSync(path);
  database.exec("UPDATE lanes SET book = 'torn'");
  database.close();
  expect(await other.ask('lane', enter('a'))).toEqual({ waitMs: 0 });
  for (const door of [one, other]) door.close();
});

const enter = (id: string, more: Partial<Extract<RateLimitRequest, { type: 'enter' }>> = {}): RateLimitRequest => ({
  type: 'enter',
  id,
  tokens: 10,
  limit: { requestsPerMinute: 3, tokensPerMinute: 50, concurrency: 2 },
  windowMs: 60_000,
  again: false,
  ...more,
});

test('whatever comes when: no window holds more than the limit, and the first that waits is the next that goes', () => {
  const steps = fc.array(
    fc.record({
      who: fc.integer({ min: 0, max: 5 }),
      tokens: fc.integer({ min: 0, max: 80 }),
      afterMs: fc.integer({ min: 0, max: 20_000 }),
      leaves: fc.boolean(),
    }),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(steps, (script) => {
      let book: RateLimitState = EMPTY_RATE_LIMIT_STATE;
      let now = 1_000_000;
      const gone: { at: number; tokens: number }[] = [];
      // A call that went is over for its caller: the next one is another call.
      const went = new Map<number, number>();
      for (const { who, tokens, afterMs, leaves } of script) {
        now += afterMs;
        const id = `c${who}.${went.get(who) ?? 0}`;
        const first = book.waiting.find(({ id: other, until }) => other === id || until > now)?.id ?? id;
        const { book: after, answer } = applyRateLimitRequest(book, enter(id, { tokens }), now);
        book = after;
        if (answer.waitMs > 0) continue;
        expect(id).toBe(first);
        went.set(who, (went.get(who) ?? 0) + 1);
        gone.push({ at: now, tokens });
        const window = gone.filter(({ at }) => at > now - 60_000);
        expect(window.length).toBeLessThanOrEqual(3);
        if (window.length > 1) expect(window.reduce((sum, one) => sum + one.tokens, 0)).toBeLessThanOrEqual(50);
        expect(book.running.filter(({ until }) => until > now).length).toBeLessThanOrEqual(2);
        const limits = { limit: { tokensPerMinute: 50 }, windowMs: 60_000 };
        if (leaves) book = applyRateLimitRequest(book, { type: 'leave', id, tokens, ...limits }, now).book;
      }
    }),
  );
});

test('a worker that dies loses its places and its turn after a while, one that lives keeps them', () => {
  const limit = { concurrency: 1 };
  const ask = (book: RateLimitState, what: RateLimitRequest, now: number) => applyRateLimitRequest(book, what, now);
  let { book } = ask(EMPTY_RATE_LIMIT_STATE, enter('dead', { limit }), 0);
  ({ book } = ask(book, enter('dies-waiting', { limit }), 1));
  const taken = ask(book, enter('next', { limit }), 2);
  expect(taken.answer.why).toBe('turn');
  const kept = ask(taken.book, { type: 'alive', ids: ['dead'] }, SLOT_LEASE_MS - 1).book;
  expect(ask(kept, enter('next', { limit }), SLOT_LEASE_MS + 1).answer.why).toBe('concurrency');
  expect(ask(taken.book, enter('next', { limit }), SLOT_LEASE_MS + 1).answer).toEqual({ waitMs: 0 });
});

test('a store that is away holds calls back, says so, and lets them go when it is there again', async () => {
  const memory = limitsInSqlite(':memory:');
  let asked = 0;
  const limits = openRateLimiter({
    ask: (lane, ask) => ((asked += 1) === 1 ? Promise.reject(new Error('ECONNREFUSED')) : memory.ask(lane, ask)),
  });
  const told: string[] = [];
  const place = await limits.enter(
    { lane: 'p/m', limit: { concurrency: 1 } },
    { tokens: 0, onWait: ({ why }) => told.push(why), signal: new AbortController().signal },
  );
  place.leave();
  limits.close();
  expect(told).toEqual(['the queue that keeps the limits does not answer']);
});

test('who still waits when the limits close is let down, instead of waiting for ever', async () => {
  const limits = openRateLimiter(limitsInSqlite(':memory:'));
  const call = { tokens: 0, onWait: () => undefined, signal: new AbortController().signal };
  const of = { lane: 'p/m', limit: { concurrency: 1 } };
  await limits.enter(of, call);
  const waiting = limits.enter(of, call);
  limits.close();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
