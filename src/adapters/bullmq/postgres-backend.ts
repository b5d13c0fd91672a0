/** Opens PostgreSQL behind BullMQ, with connections whose loss never ends the process. */
import { createPostgresBackend, Queue, QueueEvents, Worker } from 'bullmq';
import { type Client, Pool } from 'pg';
import { STREAMS, type Backend, type BackendAddress, type LaneQueue } from './backend.ts';
import { reconnectingClient } from './reconnecting-client.ts';
import { reconnectingWorker } from './reconnecting-worker.ts';
import { z } from 'zod';
import { rememberSuccess } from '../../disk/serial-queue.ts';
import {
  applyRateLimitRequest,
  EMPTY_RATE_LIMIT_STATE,
  type RateLimitRequest,
  type RateLimitStore,
  readBook,
} from '../limits/rate-limit-state.ts';

/**
 * BullMQ opens its listening connection with the driver's own class, which ends the process when the server closes it
 * right after the greeting or while disconnecting, because its errors have no listener then.
 */
function withClientClass(client: typeof Client): typeof createPostgresBackend {
  return (...given) => {
    const backend = createPostgresBackend(...given);
    const { connection } = backend as unknown as { connection: { pgModule: { Client: typeof Client } } };
    connection.pgModule = { Client: client };
    return backend;
  };
}

/** `space` is the schema; BullMQ creates it and its tables on the first connection. */
export function openPostgresBackend({ url, space }: BackendAddress, onError: (error: Error) => void): Backend {
  const limits = limitsInPostgres(url, space, onError);
  const Steady = reconnectingClient(onError);
  const makeBackend = withClientClass(Steady);
  const connection = {
    connectionString: url,
    schema: space,
    migrate: true,
    // Each queue and each worker of a lane has this one connection; a worker listens on one more.
    max: 1,
    Client: Steady,
  };
  const queues: LaneQueue[] = [];
  return {
    queue: (name) => {
      const made: LaneQueue = new Queue(name, { connection, streams: STREAMS }, makeBackend);
      queues.push(made);
      return made;
    },
    worker: (name, process, options) =>
      reconnectingWorker(() => new Worker(name, process, { ...options, connection }, makeBackend)),
    events: (name) => new QueueEvents(name, { connection }, makeBackend),
    limits,
    connect: async () => {
      for (const queue of queues) await queue.waitUntilReady();
    },
    settingsFault: () => Promise.resolve(undefined),
    close: () => limits.close(),
  };
}

const Row = z.object({ now: z.coerce.number(), book: z.unknown() });
type LimitRows = RateLimitStore & { close(): Promise<void> };

/** `schema` is a name that needs no quotes; it is made when it is not there. */
function limitsInPostgres(url: string, schema: string, onError: (error: Error) => void): LimitRows {
  const table = `${schema}.tandem_limits`;
  let pool: Pool | undefined;

  const settings = { connectionString: url, max: 1, Client: reconnectingClient(onError) };
  const open = (): Pool => (pool ??= new Pool(settings).on('error', onError));
  // Two workers may make it at once, and PostgreSQL then refuses one of them in spite of IF NOT EXISTS.
  const make = rememberSuccess(async (): Promise<void> => {
    const text = `CREATE SCHEMA IF NOT EXISTS ${schema}; CREATE TABLE IF NOT EXISTS ${table} (lane text PRIMARY KEY, book jsonb NOT NULL)`;
    await open()
      .query(text)
      .catch(() => open().query(text));
  });

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
      await make();
      return locked(lane, ask);
    },
    close: async () => pool?.end(),
  };
}
