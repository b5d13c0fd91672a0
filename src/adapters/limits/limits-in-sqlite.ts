/** The books of all limited lanes in one SQLite file, for processes of one machine, or in none (`:memory:`) for this one. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { applyRateLimitRequest, type RateLimitStore, readBook } from './rate-limit-state.ts';

/** A request takes about a millisecond; a caller that finds the file locked for longer asks again. */
const BUSY_MS = 250;
const Row = z.object({ book: z.string() });

export type LimitsFile = RateLimitStore & { close: () => void };

/** Contract: throws when the file cannot be created; a process that dies during a request leaves no trace of it. */
export function limitsInSqlite(path: string, now: () => number = Date.now): LimitsFile {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: BUSY_MS });
  // Nothing is synced to disk, because all entries are outdated a minute after a power cut.
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
        // A damaged book counts as an empty one.
        const before = readBook(found && parseJson(found.book));
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
