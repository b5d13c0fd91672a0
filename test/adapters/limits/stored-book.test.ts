import { expect, test } from 'vitest';
import {
  applyRateLimitRequest,
  EMPTY_RATE_LIMIT_STATE,
  readBook,
} from '../../../src/adapters/limits/rate-limit-state.ts';

test('a book comes back as it was written, with what the provider said', () => {
  const limit = { requestsPerMinute: 10 };
  const enter = { type: 'enter' as const, id: 'c', tokens: 5, limit, windowMs: 60_000, again: false };
  const entered = applyRateLimitRequest(EMPTY_RATE_LIMIT_STATE, enter, 1000).book;
  const allowances = { inputTokens: { limit: 100, remaining: 7 } };
  const { book } = applyRateLimitRequest(entered, { type: 'learn', allowances }, 2000);
  expect(readBook(JSON.parse(JSON.stringify(book)))).toEqual(book);
});

test('a book of an older program has no pace yet; what is no book is an empty one', () => {
  const old = { pausedUntil: 7, calls: [], running: [], waiting: [] };
  expect(readBook(old)).toMatchObject({ pausedUntil: 7, pace: { requestsAt: 0, provider: {} } });
  expect(readBook({ calls: 'none' })).toBe(EMPTY_RATE_LIMIT_STATE);
});
