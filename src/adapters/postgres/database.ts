/** The database of a store: its connections, its version, and statements that are retried while the server is away. */
import { Pool, type PoolClient } from 'pg';
import { HarnessError } from '../../errors.ts';
import { reconnectingClient } from '../bullmq/reconnecting-client.ts';
import { openEras, assertSameEra } from './eras.ts';
import { createStatementRetry } from './statement-retry.ts';
import { readOwnText } from '../../own-file.ts';

export type DatabaseOptions = {
  url: string;
  /** The address without user and password. */
  shown: string;
  /** A schema name that needs no quotes. */
  schema: string;
  onNotice?: ((detail: string) => void) | undefined;
  /** How long a statement is retried while the server is away. */
  patienceMs?: number;
};

type Row = Record<string, unknown>;
/** `$S` in the text is the schema. */
export type Query = <One = Row>(text: string, values?: readonly unknown[]) => Promise<One[]>;

export type Statements = {
  /** Contract: a statement is repeated after an outage, so executing it twice must be harmless. */
  ask: Query;
  /** Runs one transaction, and starts it again after an outage. Contract: as for `ask`. */
  together: <Result>(work: (ask: Query) => Promise<Result>) => Promise<Result>;
};

export type Database = Statements & {
  /** Grows when another server takes over, because that server may lack what was read before. */
  era: () => number;
  /** For callers that cache what the server holds. Contract: in a later era `infrastructure` is thrown, nothing sent. */
  boundTo: (era: number) => Statements;
  /** Describes the outage that statements wait for; undefined while the server answers. */
  awaited: () => string | undefined;
  close: () => Promise<void>;
};

/** Steps from one version of the tables to the next, each in one transaction. */
const MIGRATIONS = [readOwnText('./schema-1.sql', import.meta.url)];
const NEWEST = MIGRATIONS.length;

/** The name shown in `pg_stat_activity`, by which a migration sees the versions of connected processes. */
function programName(version: number): string {
  return `tandem-store v${version}`;
}

/** Longer than any statement here takes: a connection that is silent for so long counts as lost. */
const ANSWER_MS = 60_000;
const CONNECT_MS = 10_000;

export function openDatabase(options: DatabaseOptions): Database {
  const { schema, shown } = options;
  const eras = openEras(shown, (client) => checkVersion(client, options), options.onNotice);
  const pool = openPool(options);
  const named = (text: string): string => text.replaceAll('$S', schema);
  const { patiently, awaited } = createStatementRetry(options);

  const boundTo = (era: number | undefined): Statements => {
    const on = <Result>(work: (ask: Query) => Promise<Result>): Promise<Result> =>
      patiently(async () => {
        const client = await pool.connect();
        try {
          const theirs = await eras.of(client);
          if (era !== undefined) assertSameEra(era, theirs, shown);
          const result = await work(
            async (text, values) => (await client.query(named(text), values && [...values])).rows,
          );
          client.release();
          return result;
        } catch (error) {
          // A connection in an unknown state is closed instead of being used again.
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
  return new Pool({
    connectionString: url,
    application_name: programName(NEWEST),
    max: 6,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    Client: reconnectingClient(quiet),
  }).on('error', quiet);
}

/** Checked for every new connection, because a store may have been migrated while this process had none. */
async function checkVersion(client: PoolClient, { schema, shown }: DatabaseOptions): Promise<void> {
  const found = await readSchemaVersion(client, schema);
  const version = found ?? (await createSchema(client, schema));
  const older = `The store ${shown} has version ${version}, and this program needs ${NEWEST}. Stop the older workers, then: tandem store migrate.`;
  const newer = `The store ${shown} was made by a newer Tandem (its version is ${version}; this program knows ${NEWEST}). Update Tandem to open it.`;
  if (version !== NEWEST)
    throw new HarnessError('version_mismatch', version < NEWEST ? older : newer, { details: { version } });
  // An acknowledged write must be on the server's disk, whatever the default of the role is.
  const { rows } = await client.query<{ now: string }>(`SELECT current_setting('synchronous_commit') AS now`);
  if (rows[0]?.now === 'off') await client.query('SET synchronous_commit = on');
}

async function readSchemaVersion(client: PoolClient, schema: string): Promise<number | undefined> {
  // Asks the catalogue: a session that waited while another created the tables still remembers that there were none.
  const { rows: there } = await client.query(
    `SELECT 1 FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace
     WHERE relname = 'meta' AND n.nspname = $1`,
    [schema],
  );
  if (there.length === 0) return undefined;
  const { rows } = await client.query<{ version: number }>(`SELECT version FROM ${schema}.meta`);
  return rows[0]?.version;
}

/** Creates a missing store; several processes may try this at the same time. */
async function createSchema(client: PoolClient, schema: string): Promise<number> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`tandem store ${schema}`]);
    if ((await readSchemaVersion(client, schema)) === undefined) {
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
  return (await readSchemaVersion(client, schema)) ?? 0;
}

async function migrateFrom(client: PoolClient, schema: string, version: number): Promise<void> {
  for (const step of MIGRATIONS.slice(version)) await client.query(step.replaceAll('$S', schema));
  await client.query(`UPDATE ${schema}.meta SET version = $1`, [NEWEST]);
}

export type Migration = { from: number; to: number };

/** Contract: `usage` while processes of an older version are connected. Either all steps happen or none. */
export async function migrateStore(options: DatabaseOptions): Promise<Migration> {
  const pool = openPool(options);
  try {
    const client = await pool.connect();
    try {
      const before = (await readSchemaVersion(client, options.schema)) ?? (await createSchema(client, options.schema));
      if (before >= NEWEST) return { from: before, to: before };
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`tandem store ${options.schema}`]);
      // Later connections read the version after the migration; those that have read the old one are found below.
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
      const from = (await readSchemaVersion(client, options.schema)) ?? 0;
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
