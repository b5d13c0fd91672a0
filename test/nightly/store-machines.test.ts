/**
 * One store, three machines that share nothing else: one begins, one decides, one is killed, one goes on and pays nothing again.
 * Its small sibling in CI: test/slow/store-commands.test.ts.
 */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeManifest } from '../../src/disk/manifest.ts';
import { lastJson, start, tandem, type Finished } from '../support/cli.ts';
import { servedPage } from '../support/served-page.ts';
import { startPostgres, type PostgresServer } from '../support/servers.ts';

const RUN = 'r1';
const LOCK = 4711;

type Machine = { project: string; env: Record<string, string> };

let server: PostgresServer;
let root: string;

beforeAll(async () => {
  [server, root] = [await startPostgres(), await mkdtemp(join(tmpdir(), 'tandem-machines-'))];
});
afterAll(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

/** A project folder, a home and a cache of its own. */
async function machine(name: string, user: string, scenario?: string): Promise<Machine> {
  const [project, home] = [join(root, name, 'project'), join(root, name, 'home')];
  await mkdir(join(project, 'scenarios'), { recursive: true });
  await mkdir(home);
  const env = { TANDEM_STORE: server.url, HOME: home, XDG_CACHE_HOME: join(home, 'cache'), USER: user };
  if (scenario !== undefined) expect((await tandem(project, ['init', scenario], env)).code).toBe(0);
  return { project, env };
}

async function on({ project, env }: Machine, ...args: string[]): Promise<Finished> {
  return tandem(project, args, env);
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 4000; looks += 1) {
    if (await holds()) return;
    await delay(50);
  }
  throw new Error(`${what}: it did not happen in time`);
}

test('a run is begun, decided, killed and ended on machines that share a store alone', async () => {
  const [begins, dies, ends] = [
    await machine('begins', 'ada', 'small-desk'),
    await machine('dies', 'bob', 'small-desk'),
    await machine('ends', 'cem', 'small-desk'),
  ];
  const looks = await machine('looks', 'dora');

  const waiting = await on(begins, 'run', 'small-desk', '--profile', 'demo', '--id', RUN, '--on-gate', 'exit');
  expect(waiting, waiting.stderr).toMatchObject({ code: 4 });

  const early = await on(looks, 'copy', RUN, '--to', join(root, 'early'));
  expect(early, early.stderr).toMatchObject({ code: 2, stderr: expect.stringContaining('can still go on') as string });
  // A machine that has nothing: it sees the gate, reads it and decides.
  const listed = JSON.parse((await on(looks, 'gates', 'list', '--json')).stdout) as { run: string; digest: string }[];
  expect(listed.map(({ run }) => run)).toEqual([RUN]);
  expect((await on(looks, 'gates', 'show', RUN)).stdout).toContain('HITL-1');
  const approved = await on(looks, 'gates', 'approve', RUN, '--digest', listed[0]?.digest ?? '', '--accept');
  expect(approved, approved.stderr).toMatchObject({ code: 0 });

  const remembered = await killedWithAnswers(dies);
  const finished = await on(ends, 'resume', RUN, '--profile', 'demo', '--on-gate', 'auto:demo', '--json');
  expect(finished, finished.stderr).toMatchObject({ code: 0 });
  expect(lastJson(finished)['status']).toBe('succeeded');

  // What was remembered when the worker died was never reserved again.
  const reserved = await reservedIn('tandem_runs');
  expect(remembered.length).toBeGreaterThan(2);
  for (const { step, name } of remembered) {
    const tries = reserved.filter((call) => call.startsWith(`${step}.${name}.`) || call === `${step}.${name}`);
    expect(tries, `${step}.${name}`).toHaveLength(1);
  }

  expect((await on(looks, 'status', RUN)).stdout).toContain('Target met');
  expect((await on(looks, 'status')).stdout).toContain(RUN);
  expect((await on(looks, 'report', RUN)).stdout).toContain('Target met');
  const verified = lastJson(await on(looks, 'verify', RUN, '--json'));
  expect(verified, JSON.stringify(verified)).toMatchObject({ run: RUN, ok: true });
  expect((await on(looks, 'rejudge', RUN)).code).toBe(0);
  const forked = await on(ends, 'fork', RUN, '--at', '3', '--id', 'fork-1', '--json');
  expect(lastJson(forked), forked.stderr).toMatchObject({ run: 'fork-1', from: RUN, at: 3 });
  const fork = await on(begins, 'resume', 'fork-1', '--profile', 'demo', '--on-gate', 'auto:demo', '--json');
  expect(lastJson(fork), fork.stderr).toMatchObject({ status: 'succeeded' });
  expect(lastJson(await on(looks, 'verify', 'fork-1', '--json'))).toMatchObject({ ok: true });
  const sample = await firstSample(looks);
  expect((await on(looks, 'rerun', RUN, sample)).stdout).toContain('no model was called');
  expect(await servedPage(looks, `/runs/${RUN}`)).toContain('Target met');
  await copiedEverywhere(looks);
  // Runs are in the store, and nowhere in a project.
  for (const { project } of [begins, dies, ends])
    expect(await readdir(join(project, 'scenarios/small-desk'))).not.toContain('runs');
}, 240_000);

test('a server that crashes and comes back costs a run nothing', async () => {
  const { project, env } = await machine('patient', 'ada', 'small-desk');
  const store = { ...env, TANDEM_STORE: `${server.url}?space=crashed` };
  const child = start(
    project,
    ['run', 'small-desk', '--profile', 'demo', '--id', 'r2', '--on-gate', 'auto:demo'],
    store,
  );
  const answers = async (): Promise<number> => {
    const rows = await server.query(`SELECT 1 FROM crashed_runs.answer`).catch(() => []);
    return rows.length;
  };
  await until('an answer is stored', async () => child.exitCode !== null || (await answers()) > 0);
  await server.restart('immediate', 300);
  const finished = await child.done;
  expect(finished, finished.stderr).toMatchObject({ code: 0 });
  expect(lastJson(await tandem(project, ['verify', 'r2', '--json'], store))).toMatchObject({ ok: true });
  const paid = await reservedIn('crashed_runs');
  expect(paid.length).toBeGreaterThan(10);
  expect(new Set(paid).size).toBe(paid.length);
}, 240_000);

/** The calls that were reserved, as often as they were. */
async function reservedIn(schema: string): Promise<string[]> {
  const lines = (await server.query(`SELECT body FROM ${schema}.line WHERE book = 'spend'`)) as { body: string }[];
  return lines
    .flatMap(({ body }) => body.trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as { type: string; call: string })
    .flatMap(({ type, call }) => (type === 'reserved' ? [call] : []));
}

/** Ends with `kill -9` while an answer is being stored: the worker has paid for it and cannot use it. */
async function killedWithAnswers({ project, env }: Machine): Promise<{ step: string; name: string }[]> {
  const gate = new Client({ connectionString: server.url });
  await gate.connect();
  try {
    await gate.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await gate.query(`
      CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM tandem_runs.answer) >= 3 THEN PERFORM pg_advisory_xact_lock_shared(${LOCK}); END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER hold BEFORE INSERT ON tandem_runs.answer FOR EACH ROW EXECUTE FUNCTION hold()`);
    const child = start(project, ['resume', RUN, '--profile', 'demo', '--on-gate', 'auto:demo'], env);
    await until('an answer waits to be stored', async () => {
      if (child.exitCode !== null) throw new Error((await child.done).stderr);
      const { rows } = await gate.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`);
      return rows.length > 0;
    });
    child.kill('SIGKILL');
    await child.done;
    const { rows } = await gate.query<{ step: string; name: string }>(
      'SELECT a.step, b.name FROM tandem_runs.answer b JOIN tandem_runs.attempt a ON a.id = b.attempt',
    );
    // Whatever the dead worker had under way ends without it.
    await gate.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`);
    await gate.query('DROP TRIGGER hold ON tandem_runs.answer');
    return rows;
  } finally {
    await gate.end();
  }
}

/** Out of the store into a project and a folder, and back into another store: the same digests everywhere. */
async function copiedEverywhere(from: Machine): Promise<void> {
  const [archive, folder] = [join(root, 'archive'), join(root, 'exported')];
  const copied = await on(from, 'copy', `${RUN.slice(0, 1)}*`, '--to', archive, '--json');
  expect(lastJson(copied), copied.stderr).toMatchObject({
    run: RUN,
    to: join(archive, 'scenarios/small-desk/runs', RUN),
  });
  expect((await on(from, 'copy', RUN, '--to', archive)).stderr).toContain('is there already');
  expect((await on(from, 'export', 'folder', RUN, '--out', folder)).code).toBe(0);
  const other = `${server.url}?space=other`;
  const inFolders = { project: archive, env: { ...from.env, TANDEM_STORE: '' } };
  expect(lastJson(await on(inFolders, 'verify', folder, '--json'))).toMatchObject({ ok: true });
  const back = await on(inFolders, 'copy', RUN, '--to', other);
  expect(back, back.stderr).toMatchObject({ code: 0 });
  const there = { project: from.project, env: { ...from.env, TANDEM_STORE: other } };
  expect(lastJson(await on(there, 'verify', RUN, '--json'))).toMatchObject({ ok: true });
  const files = async (dir: string) =>
    (await makeManifest(dir, false)).files.filter(({ path }) => path !== 'program.json');
  expect(await files(folder)).toEqual(await files(join(archive, 'scenarios/small-desk/runs', RUN)));
}

async function firstSample(from: Machine): Promise<string> {
  const folder = join(root, 'for-its-samples');
  expect((await on(from, 'export', 'folder', RUN, '--out', folder)).code).toBe(0);
  const results = await readFile(join(folder, 'execution_outputs/iteration_1/results.json'), 'utf8');
  const [first] = (JSON.parse(results) as { samples: { id: string }[] }).samples;
  return first?.id ?? '';
}
