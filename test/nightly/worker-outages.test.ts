/**
 * A worker at work, whose queue and store are on one PostgreSQL, in each of its outages: one line, not ready, alive; then ready again.
 * Its small sibling in CI: test/slow/listening-connection.test.ts.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeGround, portIn, type Env, type Ground } from '../support/chaos.ts';
import { start } from '../support/cli.ts';
import { startCluster, type PostgresCluster } from '../support/postgres-weather.ts';

/** Model calls of a second each: no machine ends such a run while this file lasts. */
const SIZE = { rounds: 1, iterations: 4, samples: 60 };
const LATENCY_MS = 1_000;
const AWAY_MS = 4_000;

let ground: Ground;
let cluster: PostgresCluster;
let cache: string;
let env: Env;
let worker: ReturnType<typeof start>;
let submitter: ReturnType<typeof start>;
let said = '';
let port: number;

beforeAll(async () => {
  [ground, cluster, cache] = await Promise.all([
    makeGround(SIZE, [], LATENCY_MS),
    startCluster(AWAY_MS, 'store'),
    mkdtemp(join(tmpdir(), 'tandem-outages-')),
  ]);
  const { url } = cluster;
  env = { ...ground.simulator.env, TANDEM_QUEUE: url, TANDEM_STORE: url, XDG_CACHE_HOME: cache };
  const portFile = join(cache, 'port');
  worker = start(ground.project, ['worker', '--profile', 'chaos', '--grace', '0', '--port-file', portFile], env);
  worker.stderr?.on('data', (text: string) => (said += text));
  port = await portIn(portFile);
  const begin = ['batch', 'chaos-desk', '--id', 'long', '--runs', '1', '--on-gate', 'auto:demo', '--profile', 'chaos'];
  submitter = start(ground.project, begin, env);
  // The run is under way.
  const answers = () => cluster.query('SELECT 1 FROM tandem_runs.answer').catch(() => []);
  while ((await answers()).length === 0) await delay(100);
});
afterAll(async () => {
  for (const child of [worker, submitter]) child.kill('SIGKILL');
  await Promise.all([worker.done, submitter.done]);
  await Promise.all([ground.simulator.stop(), cluster.stop()]);
  await rm(cache, { recursive: true, force: true });
});

const statusOf = (path: string): Promise<number> =>
  fetch(`http://127.0.0.1:${port}${path}`).then(({ status }) => status);

async function untilReady(): Promise<void> {
  while ((await statusOf('/healthz')) !== 200) {
    expect([worker.exitCode, submitter.exitCode], said).toEqual([null, null]);
    await delay(100);
  }
}

/** `said`: silence is noticed after 15 s only, and what is over at once is waited for by nobody. */
test.each([
  { kind: 'restart immediate', isAway: true, isSaid: true },
  { kind: 'proxy stalls', isAway: true, isSaid: false },
  { kind: 'failover', isAway: true, isSaid: true },
  { kind: 'disk full', isAway: true, isSaid: true },
  { kind: 'deadlock', isAway: false, isSaid: false },
  { kind: 'all sessions ended', isAway: false, isSaid: false },
  { kind: 'no connection free', isAway: true, isSaid: true },
])('$kind', async ({ kind, isAway, isSaid }) => {
  await untilReady();
  const before = said.length;
  const happens = kind === 'no connection free' ? cluster.crowd() : cluster.weather[kind]?.();
  const over = new AbortController();
  const seen = new Set<number>();
  const look = async (): Promise<void> => {
    while (!over.signal.aborted) {
      seen.add(await statusOf('/healthz'));
      expect(await statusOf('/livez')).toBe(200);
      await delay(100);
    }
  };
  const looking = look();
  await happens;
  over.abort();
  await looking;
  await untilReady();
  const lines = said.slice(before);
  if (isAway) expect([...seen]).toContain(503);
  // Once, until it answers again: a server whose disk is full may come and go.
  const ofStore = lines.split('\n').filter((line) => line.includes('the store') && / is away|answers again/.test(line));
  const kinds = ofStore.map((line) => line.includes(' is away'));
  expect(
    kinds.every((isOne, at) => !isOne || kinds[at - 1] !== true),
    lines,
  ).toBe(true);
  if (isSaid) expect(lines).toContain('is away');
  expect([worker.exitCode, submitter.exitCode]).toEqual([null, null]);
});
