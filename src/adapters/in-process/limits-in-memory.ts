/** The book of every limited lane in this process's memory. */
import { answerFrom, EMPTY_BOOK, type Book, type LimitStore } from '../limits/rate-limit-state.ts';

export function limitsInMemory(now: () => number = Date.now): LimitStore {
  const books = new Map<string, Book>();
  return {
    ask: async (lane, ask) => {
      const { book, answer } = answerFrom(books.get(lane) ?? EMPTY_BOOK, ask, now());
      books.set(lane, book);
      return answer;
    },
  };
}
