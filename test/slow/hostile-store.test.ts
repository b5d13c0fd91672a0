/** Rows that somebody with a right to write put into a store: no file of a machine that reads them lies outside its working copy. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openPostgresRunStore, type PostgresRunStore } from '../../src/adapters/postgres/postgres-run-store.ts';
import { openRunIndex } from '../../src/run-folder/run-index.ts';
import { sha256 } from '../../src/disk/sha256.ts';
import { tandem } from '../support/cli.ts';
import { created, started } from '../support/run-events.ts';
import { scratch, tickingClock } from '../support/scratch.ts';
import { startPostgres, type PostgresServer } from '../support/servers.ts';

const SPACE = 'hostile';
const SCHEMA = 'hostile_runs';
const PLANTED = 'planted by a row';

let server: PostgresServer;
let opened: PostgresRunStore[] = [];
let works: string;
let notices: string[] = [];

beforeAll(async () => {
  server = await startPostgres();
});
afterEach(async () => {
  for (const store of opened) await store.close().catch(() => undefined);
  opened = [];
  notices = [];
  await server.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
});
afterAll(() => server.stop());

function machine(name: string): PostgresRunStore {
  const work = join(works, 'deep/below', name);
  const common = {
    url: server.url,
    shown: 'postgres://test',
    schema: SCHEMA,
    clock: tickingClock(),
    worker: 'w',
    onNotice: (detail: string) => notices.push(detail),
  };
  const store = openPostgresRunStore({ ...common, work });
  opened.push(store);
  return store;
}

/** A run with two events, as an honest machine has left it. */
async function honestRun() {
  works = await scratch();
  const run = await machine('honest').create(join(works, 'scenarios/refund-desk'), 'run-1');
  await run.journal.append(created().body, 'user:ada', 0);
  await run.journal.append(started().body, 'worker:a', 1);
}

async function plantFile(path: string, text = PLANTED): Promise<void> {
  const digest = sha256(Buffer.from(text));
  await server.query(`INSERT INTO ${SCHEMA}.piece VALUES ('run-1', '${digest}', 0, '${text}') ON CONFLICT DO NOTHING`);
  await server.query(`INSERT INTO ${SCHEMA}.file VALUES ('run-1', '${path}', '${digest}', ${text.length}, 99)`);
}

/** Whatever was made beside the machines' own folders. */
const strays = (): string[] => [
  ...readdirSync(works).filter((name) => name !== 'deep'),
  ...readdirSync(join(works, 'deep')).filter((name) => name !== 'below'),
  ...readdirSync(join(works, 'deep/below')).filter((name) => !['honest', 'victim'].includes(name)),
];

describe('a row names a place outside', () => {
  test.each([
    ['above the working copy', '../../../../../../stray.txt'],
    ['by an absolute path', '/tmp/../tandem-stray.txt'],
    ['in the middle of a path', 'design/../../../../../../stray.txt'],

    ['in the journal, which has rows of its own', 'events/000002.json'],
    ['in the money', 'spend/000000.json'],
    ['in an attempt', 'wip/design.r1@x/turns/init.0001.json'],
  ])('%s: the run is refused, and nothing is written there', async (_name, path) => {
    await honestRun();
    await plantFile(path);
    await expect(machine('victim').open('run-1')).rejects.toMatchObject({
      code: 'data_corrupt',
      details: { file: path },
    });
    expect(strays()).toEqual([]);
    const dir = join(works, 'deep/below/victim/scenarios/refund-desk/runs/run-1');
    expect(existsSync(join(dir, path))).toBe(false);
  });

  test('a removal outside removes nothing', async () => {
    await honestRun();
    await server.query(`INSERT INTO ${SCHEMA}.file VALUES ('run-1', '../../../../honest/kept', NULL, 0, 99)`);
    await expect(machine('victim').open('run-1')).rejects.toMatchObject({ code: 'data_corrupt' });
  });

  test.each([
    ['a run', '../../../../../stray', 'refund-desk'],
    ['its scenario', 'run-2', '../../../../stray'],
  ])('%s is named like a path: it is refused before a folder is made', async (_name, id, scenario) => {
    await honestRun();
    await server.query(`INSERT INTO ${SCHEMA}.run (id, scenario, born) VALUES ('${id}', '${scenario}', '2026')`);
    const victim = machine('victim');
    for (const listed of [await victim.list(), await victim.folders(), await victim.list()])
      expect(listed.map((run) => run.id)).toEqual(['run-1']);
    expect(notices).toEqual([expect.stringContaining(JSON.stringify(id))]);
    // The beginning of its name names nobody else.
    expect(await victim.open('run-')).toMatchObject({ id: 'run-1' });
    await expect(machine('victim').open(id)).rejects.toThrow();
    expect(strays()).toEqual([]);
  });

  test('an attempt, a session and a batch named like paths make no folder outside', async () => {
    await honestRun();
    const run = await machine('victim').open('run-1');
    await server.query(
      `INSERT INTO ${SCHEMA}.attempt (run, step, name) VALUES ('run-1', 's', '../../../../../../../stray')`,
    );
    await expect(run.artifacts.live()).rejects.toThrow();
    for (const id of ['session/../../../stray', 'batch/../../../stray'])
      await server.query(`INSERT INTO ${SCHEMA}.run (id, scenario, length) VALUES ('${id}', '', 1)`);
    const { sessions, batches } = machine('victim');
    expect(await sessions.list()).toEqual([]);
    expect(await sessions.find('../../../stray')).toBeUndefined();
    expect(await batches.ids()).toEqual([]);
    expect(strays()).toEqual([]);
  });

  test('what a holder shares is checked as the files of the run are', async () => {
    await honestRun();
    const digest = sha256(Buffer.from(PLANTED));
    await plantFile('design/r1/brief.md');
    const body = JSON.stringify([{ path: '../../../../../../../../../../stray.txt', digest, bytes: PLANTED.length }]);
    await server.query(
      `INSERT INTO ${SCHEMA}.attempt (run, step, name) VALUES ('run-1', 'execute.i1', 'execute.i1@x')`,
    );
    await server.query(
      `INSERT INTO ${SCHEMA}.answer SELECT id, 'shared-out', convert_to('${body}', 'UTF8') FROM ${SCHEMA}.attempt`,
    );
    const run = await machine('victim').open('run-1');
    await expect(run.artifacts.join('execute.i1@x', 'execution_outputs/iteration_1')).rejects.toMatchObject({
      code: 'data_corrupt',
    });
    expect(strays()).toEqual([]);
  });
});

test('the commands that list say it in one line, show the others, and end well', async () => {
  await honestRun();
  await server.query(`INSERT INTO ${SCHEMA}.run (id, scenario, born) VALUES ('../\x1b[2Jx', 'y', '2026')`);
  const env = { TANDEM_STORE: `${server.url}?space=${SPACE}`, XDG_CACHE_HOME: join(works, 'cache') };
  for (const args of [['status'], ['runs', 'prune', '--older-than', '30d']]) {
    const { code, stdout, stderr } = await tandem(works, args, env);
    expect({ args, code, stderr: stderr.trim().split('\n') }).toEqual({
      ...{ args, code: 0 },
      stderr: [expect.stringContaining('which is no name of a folder: it is left out.')],
    });
    expect(stderr).not.toContain('\x1b');
    expect(stdout.includes('run-1')).toBe(args[0] === 'status');
  }
});

test('a session about a run that the store has not lays no folder of this machine open, whatever its row says', async () => {
  await honestRun();
  const session = await machine('honest').sessions.create('s-1');
  const run = { id: 'gone', dir: works };
  const chosen = { machineVersion: 1, agent: 'session', budgetUsd: 1, simulated: true, run } as const;
  await session.journal.append({ type: 'session.started', ...chosen }, 'user:ada', 0);
  const [event] = (await (await machine('victim').sessions.find('s-1'))?.journal.read()) ?? [];
  const dir = event?.body.type === 'session.started' ? event.body.run?.dir : undefined;
  expect(dir).toMatch(/deep\/below\/victim\//);
  expect(existsSync(dir ?? '')).toBe(false);
});

test.each([
  ['no JSON', 2, '{'],
  ['an object', 2, '{"seq":2}'],
  ['a number too far', 2_000_000_000, '{}'],
  ['a number below', -1, '{}'],
  ['a deep one', 2, `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
])('an event that is %s costs its own run, and the others are listed', async (_name, at, body) => {
  await honestRun();
  const other = await machine('honest').create(join(works, 'scenarios/refund-desk'), 'run-2');
  await other.journal.append(created().body, 'user:ada', 0);
  await server.query(`INSERT INTO ${SCHEMA}.line VALUES ('run-1', 'events', ${at}, '${body}', '${randomUUID()}')`);
  await server.query(`UPDATE ${SCHEMA}.run SET length = ${at + 1}, about = '{"length":"x"}' WHERE id = 'run-1'`);
  const { runs, unreadable } = await openRunIndex(machine('victim')).look();
  expect(runs.map(({ id }) => id)).toContain('run-2');
  expect([...runs, ...unreadable].map(({ id }) => id).toSorted()).toEqual(['run-1', 'run-2']);
});

test('an event that was written by hand is no event of the run', async () => {
  await honestRun();
  const forged = JSON.stringify({
    seq: 2,
    ts: '2026-01-01T00:00:00.000Z',
    actor: 'user:ada',
    body: { type: 'run.started' },
  });
  await server.query(`INSERT INTO ${SCHEMA}.line VALUES ('run-1', 'events', 2, '${forged}', '${randomUUID()}')`);
  const run = await machine('victim')
    .open('run-1')
    .catch((error: unknown) => error);
  if (run instanceof Error) expect(run).toMatchObject({ code: 'data_corrupt' });
  else
    await expect((run as { journal: { read: () => Promise<unknown> } }).journal.read()).rejects.toMatchObject({
      code: 'data_corrupt',
    });
});
