/** A store lives through the loss of each exchange with its server: what it asks is answered in the same way, and its rows are the same. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/adapters/postgres/database.ts';
import { openPostgresRunStore } from '../../src/adapters/postgres/postgres-run-store.ts';
import { FAULTS, useFaultProxy, type Fault } from '../support/postgres-faults.ts';
import { scratch, tickingClock } from '../support/scratch.ts';
import { rowsOf, storeStory } from '../support/store-story.ts';

const used = useFaultProxy();

let stores = 0;
/** `at`: the number of the exchange that breaks; of 0, none. */
async function play(works: string, at: number, fault: Fault) {
  stores += 1;
  const schema = `exchanges_${stores}`;
  const work = join(works, schema);
  used.proxy.breakAt(at, fault);
  const options = { url: used.url, shown: 'postgres://test', schema, clock: tickingClock(), worker: 'w', work };
  const log = await storeStory(openPostgresRunStore(options), work);
  const asked = used.proxy.asked().map((text) => text.replaceAll(schema, '$S'));
  const rows = await rowsOf((text) => used.server.query(text), schema);
  await used.server.query(`DROP SCHEMA ${schema} CASCADE`);
  return { log, rows, asked };
}

test('each statement that changes something is done and its answer lost; and every other fault once', async () => {
  const works = await scratch();
  const { log, rows, asked } = await play(works, 0, 'reset after');
  const changes = (text: string) => /INSERT|UPDATE|DELETE|COMMIT/.test(text);
  const different = asked.flatMap((text, index) => (changes(text) && asked.indexOf(text) === index ? [index + 1] : []));
  expect(different.length).toBeGreaterThan(20);
  const cases: [number, Fault][] = [
    ...different.map((at): [number, Fault] => [at, 'reset after']),
    ...FAULTS.map((fault, index): [number, Fault] => [Math.ceil(((index + 1) * asked.length) / FAULTS.length), fault]),
  ];
  for (const [at, fault] of cases) {
    const broken = await play(works, at, fault);
    expect({ log: broken.log, rows: broken.rows }, `${at}, ${fault}: ${asked[at - 1]}`).toEqual({ log, rows });
  }
});

test('connections whose check outlasts the patience of who waits for them are there for others', async () => {
  const address = { url: used.server.url, shown: 'postgres://test', schema: 'slow_check' };
  const database = openDatabase(address);
  const other = new Client({ connectionString: used.server.url });
  await Promise.all([other.connect(), database.ask('SELECT 1')]);
  try {
    await other.query('SELECT pg_advisory_lock(7)');
    // All connections are in use, and as many wait for one; that has a limit of ten seconds.
    const asked = Array.from({ length: 12 }, () => database.ask('SELECT pg_advisory_xact_lock_shared(7)'));
    await delay(8500);
    // As a migration does, which takes its time.
    await other.query('BEGIN');
    await other.query('LOCK TABLE slow_check.meta IN ACCESS EXCLUSIVE MODE');
    await other.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%lock_shared(7)%' AND pid <> pg_backend_pid()`,
    );
    await delay(2500);
    await other.query('SELECT pg_advisory_unlock(7)');
    await other.query('COMMIT');
    await Promise.all(asked);
  } finally {
    await Promise.all([other.end(), database.close()]);
  }
}, 40_000);
