/**
 * Runs at half price on shared workers: begun by one process, played by others; a worker that dies while a batch is at work loses nothing.
 * Its small sibling in CI: test/slow/economy.test.ts.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFileSpending } from '../../src/adapters/files/file-spending.ts';
import type { RequestRecord } from '../../src/adapters/simulated/respond.ts';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { lastJson, makeProject, start, tandem } from '../support/cli.ts';
import { startRedis } from '../support/servers.ts';

const STARTER = 'small-desk';
const PROFILE = `version: 1
on_gate: { tty: prompt, no_tty: auto:demo }
economy: { gather_ms: 150, poll_ms: 40, poll_max_ms: 200 }
queue: { lock_ms: 3000, stalled_ms: 500, reconcile_ms: 500 }
`;

test('two runs on workers, one of which dies while its batch is at work: both end, at half price, paid once', async () => {
  const project = await makeProject();
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  await writeFile(join(project, 'config/profiles/night.yaml'), PROFILE);
  await tandem(project, ['init', STARTER]);
  let onRequest: (record: RequestRecord) => void = () => undefined;
  const simulationDir = join(project, 'scenarios', STARTER, 'simulation');
  const simulator = await startSimulator({ simulationDir, batchDelayMs: 300, onRequest: (one) => onRequest(one) });
  onTestFinished(() => simulator.close());
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const env = { ANTHROPIC_API_KEY: 'offline', ANTHROPIC_BASE_URL: simulator.url, TANDEM_QUEUE: redis.url };
  const profile = ['--profile', 'night'];
  const work = () => start(project, ['worker', ...profile, '--concurrency', '2', '--grace', '1'], env);
  const first = work();
  const begun = start(
    project,
    ['batch', STARTER, '--runs', '2', '--id', 'night', '--economy', ...profile, '--json'],
    env,
  );
  onRequest = ({ batch }) => {
    if (batch === 'retrieve') first.kill('SIGKILL');
  };
  expect((await first.done).signal).toBe('SIGKILL');
  onRequest = () => undefined;
  const second = work();
  onTestFinished(async () => {
    second.kill('SIGTERM');
    await second.done;
  });
  const finished = await begun.done;
  expect(finished.code, finished.stderr).toBe(0);
  expect(lastJson(finished)).toMatchObject({ met: 2, uncertainUsd: 0 });
  const dirs = ['night-001', 'night-002'].map((run) => join(project, 'scenarios', STARTER, 'runs', run));
  const records = (await Promise.all(dirs.map((dir) => openFileSpending(dir).list()))).flat();
  const subjects = records.filter(({ agent }) => agent === 'subject' || agent === 'user');
  expect(subjects.map(({ usage }) => usage?.service_tier)).toEqual(subjects.map(() => 'batch'));
  const answered = simulator.batches.flatMap(({ results = [] }) => results);
  expect(subjects.reduce((sum, { answers }) => sum + answers, 0)).toBe(answered.length);
  expect(records.every(({ uncertainUsd, reservedUsd }) => uncertainUsd + reservedUsd === 0)).toBe(true);
}, 180_000);
