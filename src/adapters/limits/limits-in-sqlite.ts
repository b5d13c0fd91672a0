/** The book of every limited lane in one SQLite file, for processes of one machine that have no queue in common. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { applyRateLimitRequest, type RateLimitStore, readBook } from './rate-limit-state.ts';

/** Each ask is a millisecond's work; whoever finds the file busy for longer asks again. */
const BUSY_MS = 250;
const Row = z.object({ book: z.string() });

export type LimitsFile = RateLimitStore & { close: () => void };

/** Contract: throws where there can be no such file; a process that dies in the middle of an ask leaves no trace of it. */
export function limitsInSqlite(path: string, now: () => number = Date.now): LimitsFile {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: BUSY_MS });
  // A minute after a power cut nothing in it counts any more.
  database.exec(
    'PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS lanes (lane TEXT PRIMARY KEY, book TEXT NOT NULL)',
  );
  const [read, write] = [
    database.prepare('SELECT book FROM lanes WHERE lane = ?'),
    database.prepare('INSERT OR REPLACE INTO lanes VALUES (?, ?)'),
  ];
  return {
    ask: async (lane, ask) => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const found = Row.safeParse(read.get(lane)).data;
        const before = readBook(found && parsed(found.book));
        const { book, answer } = applyRateLimitRequest(before, ask, now());
        if (book !== before) write.run(lane, JSON.stringify(book));
        database.exec('COMMIT');
        return answer;
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
    close: () => database.close(),
  };
}

/** What is damaged counts as an empty book. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
