/** The store in PostgreSQL passes the suites of its ports, each reader with a working copy of its own, as on machines that share nothing. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  migrateStore,
  openPostgresRunStore,
  type PostgresRunStore,
} from '../../src/adapters/postgres/postgres-run-store.ts';
import { isOutage } from '../../src/adapters/postgres/store-errors.ts';
import { reconnectingClient } from '../../src/adapters/bullmq/reconnecting-client.ts';
import type { Attempt, CommittedFolder } from '../../src/ports/artifacts.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { artifactsContract } from '../contracts/artifacts.contract.ts';
import { batchesContract } from '../contracts/batches.contract.ts';
import { imagesContract } from '../contracts/images.contract.ts';
import { journalContract } from '../contracts/journal.contract.ts';
import { createEntry, runStoreContract } from '../contracts/run-store.contract.ts';
import { sessionStoreContract } from '../contracts/session-store.contract.ts';
import { sharedFilesContract } from '../contracts/shared-files.contract.ts';
import { created, started } from '../support/run-events.ts';
import { scratch, tickingClock } from '../support/scratch.ts';
import { eventually } from '../support/chaos.ts';
import { startPostgres, type PostgresServer } from '../support/servers.ts';
import { startTcpRelay } from '../support/tcp-relay.ts';

let server: PostgresServer;
let opened: PostgresRunStore[] = [];
let stores = 0;

beforeAll(async () => {
  server = await startPostgres();
});
afterEach(async () => {
  for (const store of opened) await store.close();
  opened = [];
});
afterAll(() => server.stop());

/** A new store; `another` is a machine with nothing on its disk. */
async function fresh() {
  stores += 1;
  const schema = `s${stores}_runs`;
  const clock = tickingClock();
  const works = await scratch();
  let machines = 0;
  const another = (): PostgresRunStore => {
    machines += 1;
    const work = join(works, `m${machines}`);
    const store = openPostgresRunStore({ url: server.url, shown: 'postgres://test', schema, clock, worker: 'w', work });
    opened.push(store);
    return store;
  };
  const store = another();
  const scenarioDir = join(works, 'm1/scenarios/refund-desk');
  const run = async (): Promise<RunFolder> => store.create(scenarioDir, 'run-1');
  /** Opened by somebody else; as the contracts want it: at once. */
  const elsewhere = async (): Promise<RunFolder> => another().open('run-1');
  return { store, another, scenarioDir, run, elsewhere, schema, works };
}

/** A port of the run as another machine has it: each call opens the run first. */
function late<Port extends object>(open: () => Promise<Port>): Port {
  let port: Promise<Port> | undefined;
  return new Proxy({} as Port, {
    get:
      (_target, name) =>
      async (...args: unknown[]) => {
        port ??= open();
        const found = (await port) as Record<string | symbol, (...given: unknown[]) => unknown>;
        return found[name]?.(...args);
      },
  });
}

runStoreContract('PostgreSQL', fresh);

batchesContract('PostgreSQL', async () => {
  const { store, another } = await fresh();
  return { batches: store.batches, another: () => another().batches };
});

sharedFilesContract('PostgreSQL', async () => {
  const { store, another } = await fresh();
  return { shared: store.shared, another: () => another().shared };
});

sharedFilesContract('PostgreSQL, of a run', async () => {
  const { run, elsewhere } = await fresh();
  const { shared, journal } = await run();
  await journal.append(created().body, 'user:ada', 0);
  return { shared, another: () => late(async () => (await elsewhere()).shared) };
});

sessionStoreContract('PostgreSQL', async () => {
  const { store, another } = await fresh();
  return { sessions: store.sessions, another: () => another().sessions };
});

journalContract('PostgreSQL', async () => {
  const { run, elsewhere } = await fresh();
  const { journal } = await run();
  return { journal, again: () => late(async () => (await elsewhere()).journal) };
});

artifactsContract('PostgreSQL', async () => {
  const { run, elsewhere } = await fresh();
  const { artifacts } = await run();
  const other = late(async () => (await elsewhere()).artifacts);
  return { artifacts, another: () => other };
});

describe('images contract: PostgreSQL', () => {
  imagesContract(async () => (await (await fresh()).run()).transcripts.images);
});

describe('the version of a store', () => {
  test('another version is refused until it is migrated, and that waits for older programs to go', async () => {
    const { store, another, schema } = await fresh();
    expect(await store.list()).toEqual([]);
    const address = { url: server.url, shown: 'postgres://test', schema };
    expect(await migrateStore(address)).toEqual({ from: 1, to: 1 });
    await server.query(`UPDATE ${schema}.meta SET version = 2`);
    await expect(another().list()).rejects.toMatchObject({
      code: 'version_mismatch',
      message: expect.stringMatching(/newer Tandem/) as string,
    });
    // A store before its first step: its tables are not there.
    await server.query(`DROP SCHEMA ${schema} CASCADE`);
    await server.query(`CREATE SCHEMA ${schema}`);
    await server.query(`CREATE TABLE ${schema}.meta (one boolean PRIMARY KEY DEFAULT true, version int NOT NULL)`);
    await server.query(`INSERT INTO ${schema}.meta VALUES (true, 0)`);
    await expect(another().list()).rejects.toMatchObject({
      code: 'version_mismatch',
      message: expect.stringMatching(/tandem store migrate/) as string,
    });
    const older = new Client({ connectionString: server.url, application_name: 'tandem-store v0' });
    await older.connect();
    await expect(migrateStore(address)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/nothing was changed/) as string,
    });
    await older.end();
    expect(await migrateStore(address)).toEqual({ from: 0, to: 1 });
    expect(await another().list()).toEqual([]);
  });
});

describe('what machines send at the same time', () => {
  test('entries of two writers are all there, on both machines', async () => {
    const { run, elsewhere } = await fresh();
    const [one, other] = [await run(), await elsewhere()];
    await one.transcripts.publish('init', [createEntry(1)]);
    await Promise.all([
      one.transcripts.publish('init', [createEntry(2)]),
      other.transcripts.publish('init', [createEntry(3)]),
    ]);
    for (const machine of [one, other])
      expect((await machine.transcripts.read('init')).map(({ id }) => id).toSorted()).toEqual(['e1', 'e2', 'e3']);
  });

  test('a store that has lost what was read is never written to as if it had not', async () => {
    const { run, another, schema } = await fresh();
    const one = await run();
    await one.journal.append(created().body, 'user:ada', 0);
    await one.journal.append(started().body, 'worker:a', 1);
    await server.query(`DELETE FROM ${schema}.line WHERE seq = 1`);
    await expect(one.journal.append(started().body, 'worker:a', 2)).rejects.toThrow(
      /has lost what this process has read/,
    );
    const fromThere = await another().open('run-1');
    await fromThere.journal.append(started().body, 'worker:b', 1);
    expect(await fromThere.journal.read()).toHaveLength(2);
  });

  test('a deadlock with somebody else is broken up, and what was to be sent is there', async () => {
    const { run, elsewhere, schema } = await fresh();
    const one = await run();
    const [other, before] = [new Client({ connectionString: server.url }), await deadlocks()];
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query(`LOCK TABLE ${schema}.file IN EXCLUSIVE MODE`);
      const written = one.writeOnce('gates/HITL-1.r1/pack.json', '{}');
      const waits = `SELECT 1 FROM pg_locks WHERE relation = '${schema}.file'::regclass AND NOT granted`;
      await eventually(async () => expect((await other.query(waits)).rows).toHaveLength(1));
      // Whichever of the two the server breaks off.
      await other.query(`LOCK TABLE ${schema}.run IN EXCLUSIVE MODE`).catch(() => undefined);
      await other.query('ROLLBACK');
      await written;
    } finally {
      await other.end();
    }
    expect(await (await elsewhere()).read('gates/HITL-1.r1/pack.json')).toBe('{}');
    await eventually(async () => expect(await deadlocks()).toBe(before + 1));
  });

  test('a session that fell silent in a transaction gives its locks back, and its process tries again', async () => {
    const { run, schema } = await fresh();
    await run();
    const Steady = reconnectingClient(() => undefined, 500);
    const [silent, other] = [new Steady(server.url), new Client({ connectionString: server.url })];
    await Promise.all([silent.connect(), other.connect()]);
    try {
      await silent.query('BEGIN');
      await silent.query(`LOCK TABLE ${schema}.run IN ACCESS EXCLUSIVE MODE`);
      expect((await other.query(`SELECT id FROM ${schema}.run`)).rows).toHaveLength(1);
      const error: unknown = await silent.query('COMMIT').catch((fault: unknown) => fault);
      expect(isOutage(error), String(error)).toBe(true);
    } finally {
      await Promise.all([silent.end(), other.end()]);
    }
  });

  test('the server asks whether the machine of a session is still there, and ends the session within half a minute', async () => {
    const client = new (reconnectingClient(() => undefined))({
      connectionString: server.url,
      options: '-c search_path=mine',
    });
    await client.connect();
    const names = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'tcp_user_timeout'];
    const text = `SELECT current_setting('search_path') AS path, ${names.map((name) => `current_setting('${name}') AS ${name}`).join()}`;
    const { rows } = await client.query(text);
    await client.end();
    const asks = { tcp_keepalives_idle: '15', tcp_keepalives_interval: '5', tcp_keepalives_count: '3' };
    expect(rows).toEqual([{ path: 'mine', ...asks, tcp_user_timeout: '30000' }]);
  });

  test('a connection whose listeners were all taken away ends no process when the server ends it', async () => {
    const heard: Error[] = [];
    const client = new (reconnectingClient((error) => heard.push(error)))(server.url);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // As the queue's driver does before it says goodbye.
    client.removeAllListeners();
    await server.query(`SELECT pg_terminate_backend(${rows[0]?.pid})`);
    await eventually(async () => expect(heard.map(({ message }) => message).join()).toMatch(/administrator command/));
    await client.end();
  });

  test('a job that takes a step over leaves the folder of another one of its process alone', async () => {
    const { run, schema } = await fresh();
    const { artifacts } = await run();
    const first = await artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
    await first.remember('init.0001', { paid: true });
    await first.write('a.txt', 'mine');
    const other = new Client({ connectionString: server.url });
    await other.connect();
    let second: Promise<Attempt>;
    try {
      await other.query('BEGIN');
      await other.query(`LOCK TABLE ${schema}.answer IN ACCESS EXCLUSIVE MODE`);
      second = artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
      const waits = `SELECT 1 FROM pg_locks WHERE relation = '${schema}.answer'::regclass AND NOT granted`;
      await eventually(async () => expect((await other.query(waits)).rows).toHaveLength(1));
      // In the middle of the takeover.
      expect(await readFile(join(first.out, 'a.txt'), 'utf8')).toBe('mine');
      await other.query('ROLLBACK');
    } finally {
      await other.end();
    }
    expect(await (await second).recall('init.0001')).toEqual({ paid: true });
    expect(await readFile(join(first.out, 'a.txt'), 'utf8')).toBe('mine');
    expect(await first.exists()).toBe(false);
    await expect(first.remember('init.0002', {})).rejects.toMatchObject({ code: 'attempt_lost' });
    await (await second).write('a.txt', 'theirs');
    await artifacts.commit(await second);
    const { digest } = await artifacts.commit(first);
    expect((await artifacts.committed('execution_outputs/iteration_1', true))?.digest).toBe(digest);
    await artifacts.discard('execute.i1');
    await expect(readFile(join(first.out, 'a.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('of two that commit one step at once, both name the folder that is in the store', async () => {
    const { run, elsewhere, schema } = await fresh();
    const [one, other] = [await run(), await elsewhere()];
    const target = 'design/r1';
    const first = await one.artifacts.begin('design.r1', target, []);
    await first.write('a.txt', 'first');
    const second = await other.artifacts.begin('design.r1', target, []);
    await second.write('a.txt', 'second');
    const between = new Client({ connectionString: server.url });
    await between.connect();
    const committing: Promise<CommittedFolder>[] = [];
    try {
      await between.query('BEGIN');
      await between.query(`SELECT 1 FROM ${schema}.run FOR UPDATE`);
      const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      for (const [run, attempt] of [
        [one, first],
        [other, second],
      ] as const) {
        committing.push(run.artifacts.commit(attempt));
        committing.at(-1)?.catch(() => undefined);
        await eventually(async () => expect((await between.query(waits)).rows).toHaveLength(committing.length));
      }
      await between.query('ROLLBACK');
    } finally {
      await between.end();
    }
    const ended = await Promise.allSettled(committing);
    const named = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value.digest] : []));
    const lost = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    expect(lost).toMatchObject(lost.map(() => ({ code: 'attempt_lost' })));
    const third = await elsewhere();
    const there = await third.artifacts.committed(target, true);
    expect(await third.read(`${target}/a.txt`)).toBe('second');
    expect(new Set(named)).toEqual(new Set([there?.digest]));
    for (const machine of [one, other])
      expect((await machine.artifacts.committed(target, true))?.digest).toBe(there?.digest);
  });

  test('a folder of a step that nobody has committed is sent with no event', async () => {
    const { run, elsewhere } = await fresh();
    const one = await run();
    await one.journal.append(created().body, 'user:ada', 0);
    // Put there by a commit that the store has not taken yet.
    await mkdir(join(one.dir, 'design/r1'), { recursive: true });
    await writeFile(join(one.dir, 'design/r1/manifest.json'), '{}');
    await one.journal.append(started().body, 'worker:a', 1);
    expect(await (await elsewhere()).list('design')).toEqual([]);
  });

  test('a large file goes over in pieces, whole', async () => {
    const { run, elsewhere } = await fresh();
    const bytes = Buffer.alloc(3 * 1024 * 1024 + 17, 'tandem');
    await (await run()).write('out/large.bin', bytes);
    const { dir } = await elsewhere();
    expect(bytes.equals(await readFile(join(dir, 'out/large.bin')))).toBe(true);
  });

  test('a working copy that something deletes takes nothing from the store', async () => {
    const { run, elsewhere } = await fresh();
    const one = await run();
    await one.journal.append(created().body, 'user:ada', 0);
    await one.writeOnce('gates/HITL-1.r1/pack.json', '{}');
    await one.write('handoffs/init.r1.json', '{}');
    await rm(one.dir, { recursive: true });
    await one.journal.append(started().body, 'worker:a', 1).catch(() => undefined);
    const other = await elsewhere();
    expect(await other.read('gates/HITL-1.r1/pack.json')).toBe('{}');
    expect(await other.read('handoffs/init.r1.json')).toBe('{}');
  });

  test('bytes that are not those of their digest are named, and never used', async () => {
    const { run, another, schema } = await fresh();
    await (await run()).writeOnce('gates/HITL-1.r1/pack.json', '{"a":1}');
    await server.query(`UPDATE ${schema}.piece SET body = 'other' WHERE convert_from(body, 'UTF8') = '{"a":1}'`);
    await expect(another().open('run-1')).rejects.toMatchObject({
      code: 'data_corrupt',
      details: { file: 'gates/HITL-1.r1/pack.json' },
    });
  });
});

describe('a failover to a server that lacks the last writes', () => {
  test('ends what was under way, and the run goes on from what the new server has', async () => {
    const primary = await startPostgres();
    const standby = await startPostgres({ follows: primary });
    const relay = await startTcpRelay(primary.port);
    const [works, said] = [await scratch(), [] as string[]];
    const store = openPostgresRunStore({
      ...{ url: primary.url.replace(String(primary.port), String(relay.port)), shown: 'postgres://test' },
      ...{ schema: 'lost_runs', clock: tickingClock(), worker: 'w', work: join(works, 'm1') },
      onNotice: (detail) => said.push(detail),
    });
    opened.push(store);
    try {
      const one = await store.create(join(works, 'm1/scenarios/refund-desk'), 'run-1');
      await one.journal.append(created().body, 'user:ada', 0);
      await one.writeOnce('gates/HITL-1.r1/pack.json', '{}');
      await eventually(async () => expect(await standby.query('SELECT 1 FROM lost_runs.file')).toHaveLength(1));
      // The standby hears nothing more.
      await standby.query(`ALTER SYSTEM SET primary_conninfo = ''`);
      await standby.query('SELECT pg_reload_conf()');
      await eventually(async () => expect(await standby.query('SELECT 1 FROM pg_stat_wal_receiver')).toEqual([]));
      await one.journal.append(started().body, 'worker:a', 1);
      await one.write('out/more.json', '{}');
      expect(await store.folders()).toMatchObject([{ length: 2 }]);

      await primary.stop();
      await standby.query('SELECT pg_promote()');
      relay.leadTo(standby.port);
      await expect(one.journal.append(started().body, 'worker:a', 2)).rejects.toThrow(/has taken the store .* over/);
      await expect(one.write('out/more.json', '{"a":1}')).rejects.toMatchObject({ retryable: true });
      expect(said.join('\n')).toMatch(/taken the store .* over/);

      expect(await store.folders()).toMatchObject([{ length: 1 }]);
      const again = await store.open('run-1');
      expect(again.dir).not.toBe(one.dir);
      expect(await again.journal.read()).toHaveLength(1);
      expect(await again.read('out/more.json')).toBeUndefined();
      await again.write('out/more.json', '{}');
      await again.journal.append(started().body, 'worker:b', 1);
      expect(await (await store.open(one.dir)).journal.read()).toHaveLength(2);
    } finally {
      await store.close();
      opened = [];
      await relay.close();
      await Promise.all([primary.stop(), standby.stop()]);
    }
  });
});

async function deadlocks(): Promise<number> {
  const rows = await server.query('SELECT sum(deadlocks) AS sum FROM pg_stat_database');
  return Number((rows[0] as { sum: string }).sum);
}
