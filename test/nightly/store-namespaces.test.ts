/**
 * Three workers, each in a network and a mount namespace of its own, share nothing but the server: a batch with its samples on them ends as on disk.
 * Its small sibling in CI: test/slow/shared-samples.test.ts.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lastJson, tandem, type Finished } from '../support/cli.ts';
import { startPostgres, type PostgresServer } from '../support/servers.ts';

const BIN = resolve('bin/tandem.js');
const WORKERS = 3;
const IS_FULL = process.env['TANDEM_STORMS'] === 'full';
const [SCENARIOS, RUNS] = IS_FULL ? [['refund-desk', 'clinic-booking'], 3] : [['small-desk'], 2];
/** Without a way to any other machine, and with an empty disk in the place of ours; the server is reached by its socket. */
const ALONE = `ip link set lo up && mount -t tmpfs tmpfs "$1" && mkdir -p "$1/p" "$1/home" && cp -r "$4/scenarios" "$1/p/" &&
  cd "$1/p" && export HOME="$1/home" && exec "$2" "$3" worker --grace 1`;

let server: PostgresServer;
let root: string;
const workers: ChildProcess[] = [];

beforeAll(async () => {
  [server, root] = [await startPostgres(), await mkdtemp(join(tmpdir(), 'tandem-alone-'))];
});
afterAll(async () => {
  for (const worker of workers) await ended(worker);
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await gone;
}

type Alone = { child: ChildProcess; said: () => string };

/** `scenarios`: of this project each machine has a copy. */
function alone(env: Record<string, string>, project: string): Alone {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const args = [...user, '--net', '--mount', 'sh', '-c', ALONE, 'sh', root, process.execPath, BIN, project];
  const child = spawn('unshare', args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  workers.push(child);
  return { child, said: () => said };
}

async function until(holds: () => boolean, what: () => string): Promise<void> {
  for (let looks = 0; looks < 4000; looks += 1) {
    if (holds()) return;
    await delay(50);
  }
  throw new Error(`It did not happen: ${what()}`);
}

type Row = {
  run: string;
  scenario: string;
  status: string;
  round: number;
  iteration: number;
  rate?: { value: number };
};

const playedBy = (said: string): number => Number(/samples: (\d+) done/.exec(said)?.[1] ?? 0);

test(
  'a batch on workers that share nothing but the server ends as on disk',
  async () => {
    const url = server.socketUrl;
    const project = join(root, '..', `${root.split('/').at(-1)}-host`);
    await mkdir(join(project, 'scenarios'), { recursive: true });
    const env = { HOME: project, XDG_CACHE_HOME: join(project, 'cache') };
    const shared = { ...env, TANDEM_STORE: url, TANDEM_QUEUE: url };
    try {
      for (const name of SCENARIOS)
        if (name === 'small-desk') expect((await tandem(project, ['init', name], env)).code).toBe(0);
        else
          await cp(resolve('scenarios', name), join(project, 'scenarios', name), { recursive: true, filter: isNoRun });
      const machines = Array.from({ length: WORKERS }, () => alone({ TANDEM_STORE: url, TANDEM_QUEUE: url }, project));
      const flags = ['--profile', 'demo', '--on-gate', 'auto:demo', '--json'];
      const onDisk = rowsOf(await tandem(project, ['batch', ...SCENARIOS, '--id', 'disk', ...flags], env));
      for (const { said } of machines) await until(() => said().includes('Worker for'), said);

      const batch = ['batch', ...SCENARIOS, '--runs', String(RUNS), '--id', 'alone', '--max-parallel', '9'];
      const done = await tandem(project, [...batch, '--budget', '100', ...flags], shared);
      const rows = rowsOf(done);
      expect(rows).toHaveLength(SCENARIOS.length * RUNS);
      for (const row of rows) {
        const reference = onDisk.find(({ scenario }) => scenario === row.scenario);
        for (const key of ['status', 'round', 'iteration', 'rate'] as const)
          expect(row[key], `${row.run}: ${key}`).toEqual(reference?.[key]);
      }
      const again = await tandem(project, ['batch', '--status', 'alone', '--json'], shared);
      expect(rowsOf(again).map(({ status }) => status)).toEqual(rows.map(({ status }) => status));
      for (const { run } of rows)
        expect(lastJson(await tandem(project, ['verify', run, '--json'], shared))).toMatchObject({ ok: true });
      for (const { child } of machines) await ended(child);
      const played = machines.map(({ said }) => playedBy(said()));
      expect(Math.min(...played), String(played)).toBeGreaterThanOrEqual(IS_FULL ? 1 : 0);
      expect(played.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(rows.length);
    } finally {
      await rm(project, { recursive: true, force: true });
    }
  },
  IS_FULL ? 3_000_000 : 600_000,
);

function rowsOf(finished: Finished): Row[] {
  const { rows } = lastJson(finished) as { rows?: Row[] };
  expect(rows, finished.stderr).toBeDefined();
  return rows ?? [];
}

function isNoRun(path: string): boolean {
  return !/[/\\]runs$/.test(path);
}
