/** The book of a limited lane as a row in PostgreSQL, by the server's clock: locked, read, written, for each ask. */
import { Pool } from 'pg';
import { z } from 'zod';
import {
  applyRateLimitRequest,
  EMPTY_RATE_LIMIT_STATE,
  type RateLimitRequest,
  type RateLimitStore,
  readBook,
} from '../limits/rate-limit-state.ts';
import { reconnectingClient } from './reconnecting-client.ts';

const Row = z.object({ now: z.coerce.number(), book: z.unknown() });
export type LimitRows = RateLimitStore & { close(): Promise<void> };

/** `schema` is a name that needs no quotes; it is made when it is not there. */
export function limitsInPostgres(url: string, schema: string, onError: (error: Error) => void): LimitRows {
  const table = `${schema}.tandem_limits`;
  let pool: Pool | undefined;
  let made: Promise<void> | undefined;

  const open = (): Pool => {
    if (pool === undefined) {
      pool = new Pool({ connectionString: url, max: 1, Client: reconnectingClient(onError) });
      pool.on('error', onError);
    }
    return pool;
  };
  // Two workers may make it at once, and PostgreSQL then refuses one of them in spite of IF NOT EXISTS.
  const make = async (): Promise<void> => {
    const text = `CREATE SCHEMA IF NOT EXISTS ${schema}; CREATE TABLE IF NOT EXISTS ${table} (lane text PRIMARY KEY, book jsonb NOT NULL)`;
    await open()
      .query(text)
      .catch(() => open().query(text));
  };

  const locked = async (lane: string, ask: RateLimitRequest) => {
    const client = await open().connect();
    try {
      await client.query('BEGIN');
      await client.query(`INSERT INTO ${table} VALUES ($1, $2) ON CONFLICT DO NOTHING`, [lane, EMPTY_RATE_LIMIT_STATE]);
      const clock = 'extract(epoch FROM clock_timestamp()) * 1000 AS now';
      const { rows } = await client.query(`SELECT book, ${clock} FROM ${table} WHERE lane = $1 FOR UPDATE`, [lane]);
      const { now, book } = Row.parse(rows[0]);
      const before = readBook(book);
      const { book: after, answer } = applyRateLimitRequest(before, ask, Math.floor(now));
      if (after !== before) await client.query(`UPDATE ${table} SET book = $2 WHERE lane = $1`, [lane, after]);
      await client.query('COMMIT');
      return answer;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  };

  return {
    ask: async (lane, ask) => {
      made ??= make();
      await made.catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      return locked(lane, ask);
    },
    close: async () => pool?.end(),
  };
}
