/** The book of every limited lane in this process's memory. */
import {
  applyRateLimitRequest,
  EMPTY_RATE_LIMIT_STATE,
  type RateLimitState,
  type RateLimitStore,
} from '../limits/rate-limit-state.ts';

export function limitsInMemory(now: () => number = Date.now): RateLimitStore {
  const books = new Map<string, RateLimitState>();
  return {
    ask: async (lane, ask) => {
      const { book, answer } = applyRateLimitRequest(books.get(lane) ?? EMPTY_RATE_LIMIT_STATE, ask, now());
      books.set(lane, book);
      return answer;
    },
  };
}
