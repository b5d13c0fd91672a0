/** What happens to a PostgreSQL that is run in earnest: its disk fills, the proxy before it stalls, a standby takes its place. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { postgresWeather, type Weather } from './chaos.ts';
import { startPostgres, type PostgresServer } from './servers.ts';
import { startTcpRelay } from './tcp-relay.ts';

const DISK_MB = 160;
/** What our sessions ask of the server: 15 s, and three times 5 s. */
const GONE_AFTER_MS = 30_000;

export type PostgresCluster = {
  /** Of the proxy before whoever is the primary. */
  url: string;
  weather: Weather;
  /** Of whoever is the primary. */
  query: PostgresServer['query'];
  /** Others hold every connection of the primary. */
  crowd(): Promise<void>;
  /** Deadlocks that servers broke up, by one of our sessions or by somebody else's. */
  deadlocks(): Promise<number>;
  stop(): Promise<void>;
};

/** What a deadlock is about: tables that workers write in one transaction, in the other order. */
const LOCKED = {
  folders: ['tandem.event', 'tandem.job'],
  store: ['tandem_runs.file', 'tandem_runs.run'],
} as const;

export async function startCluster(awayMs: number, home: keyof typeof LOCKED): Promise<PostgresCluster> {
  let primary = await startPostgres({ diskMb: DISK_MB });
  let standby = await startPostgres({ diskMb: DISK_MB, follows: primary });
  const relay = await startTcpRelay(primary.port);
  let brokenUp = 0;
  const countDeadlocks = async (): Promise<number> => {
    const rows = await primary.query('SELECT sum(deadlocks) AS sum FROM pg_stat_database');
    return Number((rows[0] as { sum: string }).sum);
  };
  const failOver = async (): Promise<void> => {
    brokenUp += await countDeadlocks();
    const old = primary;
    await old.stop();
    await delay(awayMs);
    await standby.query('SELECT pg_promote()');
    primary = standby;
    relay.leadTo(primary.port);
    standby = await startPostgres({ diskMb: DISK_MB, follows: primary });
  };
  const quietly = async (work: () => Promise<unknown>): Promise<boolean> => {
    await work();
    return false;
  };
  const ofServer = (name: string) => () => postgresWeather(primary, awayMs)[name]?.() ?? Promise.resolve(false);
  const names = Object.keys(postgresWeather(primary, awayMs));
  return {
    url: primary.url.replace(String(primary.port), String(relay.port)),
    weather: {
      'disk full': () =>
        quietly(() => primary.whileFull(() => fillLog(primary).then(() => delay(Math.max(awayMs, 1_000))))),
      'proxy stalls': () =>
        quietly(async () => {
          relay.stall();
          await delay(Math.max(awayMs, 3_000));
          relay.goOn();
        }),
      // What the standby had not yet heard of is lost.
      failover: () => failOver().then(() => true),
      deadlock: () => quietly(() => deadlock(primary, LOCKED[home])),
      'connections forgotten': () => quietly(async () => relay.forget(GONE_AFTER_MS)),
      ...Object.fromEntries(names.map((name) => [name, ofServer(name)])),
    },
    query: (text) => primary.query(text),
    crowd: () => crowd(primary, Math.max(awayMs, 1_000)),
    deadlocks: async () => brokenUp + (await countDeadlocks()),
    stop: async () => {
      await relay.close();
      await standby.stop();
      await primary.stop();
    },
  };
}

/** So that not only tables cannot grow: a server that cannot write its log crashes. */
async function fillLog(server: PostgresServer): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1)
    await server.query("SELECT pg_logical_emit_message(false, 'filler', repeat('x', 1000000))").catch(() => undefined);
}

/** Takes what a worker takes, in the other order, while workers are at it; the server breaks off whoever waited longer. */
async function deadlock(server: PostgresServer, tables: readonly [string, string]): Promise<void> {
  for (const [first, second] of [tables, tables.toReversed()]) {
    const client = new Client({ connectionString: server.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('BEGIN');
      await client.query(`LOCK TABLE ${first} IN EXCLUSIVE MODE`);
      for (let looks = 0; looks < 40 && !(await isWaitedFor(client, first)); looks += 1) await delay(50);
      await client.query(`LOCK TABLE ${second} IN EXCLUSIVE MODE`);
      await client.query('ROLLBACK');
    } catch {
      // This session was the one that was broken off.
    } finally {
      await client.end();
    }
  }
}

/** Whoever holds a connection loses it, and comes too late for another one. */
async function crowd(server: PostgresServer, ms: number): Promise<void> {
  const over = new AbortController();
  const holders: Client[] = [];
  const hold = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const client = new Client({ connectionString: server.url, application_name: 'crowd' });
      client.on('error', () => undefined);
      try {
        await client.connect();
        holders.push(client);
      } catch {
        await delay(10);
      }
    }
  };
  const first = new Client({ connectionString: server.url, application_name: 'crowd' });
  await first.connect();
  const holding = Array.from({ length: 8 }, hold);
  const others = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'crowd'`;
  try {
    await first.query(`SELECT pg_terminate_backend(pid) FROM (${others}) AS it`);
    await delay(ms);
  } finally {
    over.abort();
    await Promise.all(holding);
    await Promise.all([first, ...holders].map((client) => client.end()));
  }
}

async function isWaitedFor(client: Client, table: string | undefined): Promise<boolean> {
  const text = 'SELECT 1 FROM pg_locks WHERE relation = to_regclass($1) AND NOT granted';
  return (await client.query(text, [table])).rows.length > 0;
}
