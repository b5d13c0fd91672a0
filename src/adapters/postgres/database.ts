/** A store's database: its connections, its version, and statements that outlast a server which is away for a while. */
import { Pool, type PoolClient } from 'pg';
import { HarnessError } from '../../errors.ts';
import { reconnectingClient } from '../bullmq/reconnecting-client.ts';
import { openEras, refuseLater } from './eras.ts';
import { patience } from './patience.ts';
import { MIGRATIONS, NEWEST, programName } from './schema.ts';

export type DatabaseOptions = {
  url: string;
  /** Without user and password. */
  shown: string;
  /** A name that needs no quotes. */
  schema: string;
  onNotice?: ((detail: string) => void) | undefined;
  /** How long a statement is tried again while the server is away. */
  patienceMs?: number;
};

type Row = Record<string, unknown>;
/** `$S` in the text is the schema. */
export type Ask = <One = Row>(text: string, values?: readonly unknown[]) => Promise<One[]>;

export type Statements = {
  /** Contract: tried again after an outage, so doing it twice must be harmless. */
  ask: Ask;
  /** One transaction, begun again after an outage. Contract: as for `ask`. */
  together: <Result>(work: (ask: Ask) => Promise<Result>) => Promise<Result>;
};

export type Database = Statements & {
  /** Grows when another server takes over: what was read before may be lost there. */
  era: () => number;
  /** For who remembers what the server holds. Contract: in a later era nothing is sent, and `infrastructure` is thrown. */
  boundTo: (era: number) => Statements;
  /** What a statement waits for; undefined while the server answers. */
  awaited: () => string | undefined;
  close: () => Promise<void>;
};

/** Longer than any statement here takes; a connection that says nothing for so long is lost. */
const ANSWER_MS = 60_000;
const CONNECT_MS = 10_000;

export function openDatabase(options: DatabaseOptions): Database {
  const { schema, shown } = options;
  const eras = openEras(shown, (client) => checkVersion(client, options), options.onNotice);
  const pool = openPool(options);
  const named = (text: string): string => text.replaceAll('$S', schema);
  const { patiently, awaited } = patience(options);

  const boundTo = (era: number | undefined): Statements => {
    const on = <Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> =>
      patiently(async () => {
        const client = await pool.connect();
        try {
          const theirs = await eras.of(client);
          if (era !== undefined) refuseLater(era, theirs, shown);
          const result = await work(
            async (text, values) => (await client.query(named(text), values && [...values])).rows,
          );
          client.release();
          return result;
        } catch (error) {
          // A connection in an unknown state is not used again.
          client.release(true);
          throw error;
        }
      });
    return {
      ask: (text, values) => on((ask) => ask(text, values)),
      together: (work) =>
        on(async (ask) => {
          await ask('BEGIN');
          const result = await work(ask);
          await ask('COMMIT');
          return result;
        }),
    };
  };
  return { ...boundTo(undefined), boundTo, era: eras.now, awaited, close: () => pool.end() };
}

function openPool({ url }: Pick<DatabaseOptions, 'url'>): Pool {
  const quiet = (): void => undefined;
  const pool = new Pool({
    connectionString: url,
    application_name: programName(NEWEST),
    max: 6,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    Client: reconnectingClient(quiet),
  });
  pool.on('error', quiet);
  return pool;
}

/** Every new connection asks: a store may have been migrated while this process had none. */
async function checkVersion(client: PoolClient, { schema, shown }: DatabaseOptions): Promise<void> {
  const found = await versionOf(client, schema);
  const version = found ?? (await make(client, schema));
  if (version < NEWEST) {
    const message = `The store ${shown} has version ${version}, and this program needs ${NEWEST}. Stop the older workers, then: tandem store migrate.`;
    throw new HarnessError('version_mismatch', message, { details: { version } });
  }
  if (version > NEWEST) {
    const message = `The store ${shown} was made by a newer Tandem (its version is ${version}; this program knows ${NEWEST}). Update Tandem to open it.`;
    throw new HarnessError('version_mismatch', message, { details: { version } });
  }
  // What is acknowledged must be on the server's disk, whatever the role's default is.
  const { rows } = await client.query<{ now: string }>(`SELECT current_setting('synchronous_commit') AS now`);
  if (rows[0]?.now === 'off') await client.query('SET synchronous_commit = on');
}

async function versionOf(client: PoolClient, schema: string): Promise<number | undefined> {
  // The tables themselves: a session that has waited for another one to make them still remembers that there were none.
  const { rows: there } = await client.query(
    `SELECT 1 FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace
     WHERE relname = 'meta' AND n.nspname = $1`,
    [schema],
  );
  if (there.length === 0) return undefined;
  const { rows } = await client.query<{ version: number }>(`SELECT version FROM ${schema}.meta`);
  return rows[0]?.version;
}

/** A store that is not there is made; several may want to at once. */
async function make(client: PoolClient, schema: string): Promise<number> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`tandem store ${schema}`]);
    if ((await versionOf(client, schema)) === undefined) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await client.query(
        `CREATE TABLE ${schema}.meta (one boolean PRIMARY KEY DEFAULT true CHECK (one), version int NOT NULL)`,
      );
      await client.query(`INSERT INTO ${schema}.meta (version) VALUES (0)`);
      await migrateFrom(client, schema, 0);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  return (await versionOf(client, schema)) ?? 0;
}

async function migrateFrom(client: PoolClient, schema: string, version: number): Promise<void> {
  for (const step of MIGRATIONS.slice(version)) await client.query(step.replaceAll('$S', schema));
  await client.query(`UPDATE ${schema}.meta SET version = $1`, [NEWEST]);
}

export type Migration = { from: number; to: number };

/** Contract: `usage` while processes of an older version are connected; either all steps happen or none. */
export async function migrateStore(options: DatabaseOptions): Promise<Migration> {
  const pool = openPool(options);
  try {
    const client = await pool.connect();
    try {
      const before = (await versionOf(client, options.schema)) ?? (await make(client, options.schema));
      if (before >= NEWEST) return { from: before, to: before };
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`tandem store ${options.schema}`]);
      // Whoever connects from here on reads the version after the migration; whoever has read it before is seen.
      await client.query(`LOCK TABLE ${options.schema}.meta IN ACCESS EXCLUSIVE MODE`);
      const { rows } = await client.query<{ name: string }>(
        `SELECT application_name AS name FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'tandem-store v%' AND application_name <> $1`,
        [programName(NEWEST)],
      );
      if (rows.length > 0) {
        const message = `${rows.length} connections of older programs use the store ${options.shown}. Stop those workers first (tandem queue drain, SIGTERM); nothing was changed.`;
        throw new HarnessError('usage', message, { details: { older: rows.length } });
      }
      const from = (await versionOf(client, options.schema)) ?? 0;
      await migrateFrom(client, options.schema, from);
      await client.query('COMMIT');
      return { from, to: NEWEST };
    } finally {
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}
