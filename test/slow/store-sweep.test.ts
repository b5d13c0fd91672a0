/** Earlier versions of files go out of a store, and nobody who reads, sends, copies or works in that moment misses a byte. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../src/adapters/postgres/database.ts';
import { openStoredFiles } from '../../src/adapters/postgres/stored-files.ts';
import { sweepPieces } from '../../src/adapters/postgres/sweep-pieces.ts';
import { startPostgres, type PostgresServer } from '../support/servers.ts';
import { jsonOn, on, storeMachine } from '../support/store-machines.ts';
import { tandem } from '../support/cli.ts';

let server: PostgresServer;
let database: Database;
let root: string;

beforeAll(async () => {
  [server, root] = [await startPostgres(), await mkdtemp(join(tmpdir(), 'tandem-sweep-'))];
  database = openDatabase({ url: server.url, shown: 'postgres://test', schema: 'sweep_runs' });
});
afterAll(async () => {
  await database.close();
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

const FILE = 'out/notes.md';
let runs = 0;

/** A run of two machines: one writes, the other one reads or writes too. `born`: it has its first event. */
async function shared({ born = true } = {}) {
  runs += 1;
  const run = `r${runs}`;
  await database.ask(`INSERT INTO $S.run (id, scenario, born) VALUES ($1, 'desk', $2)`, [run, born ? '2026' : null]);
  const dirs = [join(root, run, 'one'), join(root, run, 'two')] as const;
  for (const dir of dirs) await mkdir(join(dir, 'out'), { recursive: true });
  const [dir, other] = dirs;
  const files = openStoredFiles(database, run, dir);
  const write = async (text: string): Promise<void> => {
    await writeFile(join(dir, FILE), text);
    await files.push();
  };
  const sweep = async (): Promise<number> =>
    (await sweepPieces(database, { only: run })).reduce((sum, { bytes }) => sum + bytes, 0);
  const pieces = async (): Promise<number> =>
    (await database.ask('SELECT 1 FROM $S.piece WHERE run = $1', [run])).length;
  return { run, other, write, sweep, pieces };
}

test('only what no file names any more goes, and only once', async () => {
  const { write, sweep, pieces } = await shared();
  for (const text of ['first', 'second', 'third']) await write(text);
  expect(await pieces()).toBe(3);
  expect(await sweep()).toBe('first'.length + 'second'.length);
  expect(await pieces()).toBe(1);
  expect(await sweep()).toBe(0);
});

test('who has read which bytes a file has, and finds them swept, fetches those of now', async () => {
  const { run, other, write, sweep } = await shared();
  await write('first');
  for (const read of ['pull', 'pullOne'] as const) {
    let isFirst = true;
    const late = openStoredFiles(
      {
        ...database,
        ask: async (text, values) => {
          const rows = await database.ask(text, values);
          if (isFirst && text.includes('FROM $S.file')) {
            isFirst = false;
            await write(`after ${read}`);
            expect(await sweep()).toBeGreaterThan(0);
          }
          return rows as never[];
        },
      },
      run,
      other,
    );
    await (read === 'pull' ? late.pull() : late.pullOne(FILE));
    expect(await readFile(join(other, FILE), 'utf8')).toBe(`after ${read}`);
  }
});

test('who sends the bytes of an earlier version while they are swept sends them again', async () => {
  const { run, other, write, sweep } = await shared();
  for (const text of ['first', 'second']) await write(text);
  let swept = 0;
  const sender = openStoredFiles(
    {
      ...database,
      // Its bytes are sent: they were there already. Now they are swept, before their row is.
      together: async (work) => {
        if (swept === 0) swept = await sweep();
        return database.together(work);
      },
    },
    run,
    other,
  );
  await sender.pull();
  await writeFile(join(other, FILE), 'first');
  await sender.push();
  expect(swept).toBe('first'.length);
  const third = join(root, run, 'three');
  await openStoredFiles(database, run, third).pull();
  expect(await readFile(join(third, FILE), 'utf8')).toBe('first');
}, 20_000);

test('what is being copied into the store, and a run that a worker has a step of, stay as they are', async () => {
  const copied = await shared({ born: false });
  for (const text of ['first', 'second']) await copied.write(text);
  expect(await copied.sweep()).toBe(0);
  const worked = await shared();
  for (const text of ['first', 'second']) await worked.write(text);
  await database.ask(`INSERT INTO $S.attempt (run, step, name) VALUES ($1, 'design.r1', 'design.r1@w')`, [worked.run]);
  expect(await worked.sweep()).toBe(0);
  expect(await worked.pieces()).toBe(2);
});

test('a run that has ended holds no earlier version; of what was left the command frees all', async () => {
  const made = join(root, 'made');
  await mkdir(join(made, 'scenarios'), { recursive: true });
  expect((await tandem(made, ['init', 'small-desk'])).code).toBe(0);
  const ann = await storeMachine({ root, made, server }, { space: 'sweep', user: 'ann' });
  const ended = await on(ann, ['run', 'small-desk', '--profile', 'demo', '--id', 'd1', '--on-gate', 'auto:demo']);
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  const left = async (run: string) => (await sweepPieces(database, { only: run, dryRun: true })).length;
  expect(await left('d1')).toBe(0);
  const { run, write } = await shared();
  for (const text of ['first', 'second']) await write(text);
  const line = `5 bytes of earlier versions of files of ${run}.`;
  const dry = await jsonOn<{ lines: string[] }>(ann, 'store', 'sweep', '--dry-run');
  expect(dry).toMatchObject({ dryRun: true, lines: expect.arrayContaining([`Would free ${line}`]) as string[] });
  expect((await on(ann, ['store', 'sweep'])).stdout).toContain(`Freed ${line}`);
  expect((await on(ann, ['store', 'sweep'])).stdout).toBe('Nothing to free.\n');
  expect(await jsonOn(ann, 'verify', 'd1')).toMatchObject({ ok: true });
  const folders = await on(ann, ['store', 'sweep'], { TANDEM_STORE: '' });
  expect(folders).toMatchObject({ code: 2, stderr: expect.stringContaining('names no database') as string });
}, 120_000);
