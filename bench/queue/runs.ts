/** Many runs: a hundred at once in one process, and three workers against one when the model is what takes the time. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInProcessQueue } from '../../src/adapters/in-process/in-process-queue.ts';
import { openApp } from '../../src/app/open-app.ts';
import { findHome } from '../../src/config/home.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { loadScenario } from '../../src/config/load-scenario.ts';
import { consumeWakeUps } from '../../src/pipeline/drive/drive.ts';
import { startRun } from '../../src/pipeline/start-run.ts';
import { eventually, portIn, stateOfRun } from '../../test/support/chaos.ts';
import { makeChaosScenario } from '../../test/support/chaos-scenario.ts';
import { makeProject, start, tandem } from '../../test/support/cli.ts';
import { startRedis } from '../../test/support/servers.ts';
import { row, timed, type Row } from './measure.ts';

const AT_ONCE = 100;
const RUNS = 6;
const LATENCY_MS = 400;
const signal = new AbortController().signal;

export async function runs(): Promise<Row[]> {
  return [...(await hundred()), ...(await workers())];
}

/** All designs at once, up to their gates: 100 agents at work, 100 journals, 100 transcripts. */
async function hundred(): Promise<Row[]> {
  const project = await makeProject();
  const name = await makeChaosScenario(project, { rounds: 1, iterations: 1, samples: 4 });
  const home = findHome(project);
  const config = await loadConfig(home, { flags: { simulator: { latency_ms: 200 } } });
  const scenario = await loadScenario(home, join(project, 'scenarios', name));
  const queue = createInProcessQueue({ concurrency: AT_ONCE });
  const app = await openApp({ home, config, env: {}, scenario, queue, progress: () => undefined, signal });
  await consumeWakeUps(app.deps);
  const ids = Array.from({ length: AT_ONCE }, (_, index) => `r${index}`);
  for (const id of ids)
    await startRun(scenario, { actor: 'user:bench', configDigest: 'x', simulated: true, id }, app.deps);
  const loop = monitorEventLoopDelay({ resolution: 5 });
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
  loop.enable();
  const ms = await timed(async () => {
    await Promise.all(ids.map((run) => queue.wake({ run })));
    await queue.idle();
  });
  loop.disable();
  clearInterval(timer);
  await app.close();
  await queue.close();
  const p99 = loop.percentile(99) / 1e6;
  return [
    row(`${AT_ONCE} runs at once, to their gates`, `${(ms / 1000).toFixed(1)} s`),
    row(
      `${AT_ONCE} runs at once: peak memory of the process`,
      `${Math.round(peak / 2 ** 20)} MB`,
      '≤ 1536 MB',
      peak <= 1536 * 2 ** 20,
    ),
    row(`${AT_ONCE} runs at once: event-loop delay, p99`, `${p99.toFixed(0)} ms`, '≤ 100 ms', p99 <= 100),
  ];
}

/** The same runs by one worker with two places for steps and four for samples, and by three such workers. */
async function workers(): Promise<Row[]> {
  const one = await carriedBy(1);
  const three = await carriedBy(3);
  const ratio = one / three;
  return [
    row(`${RUNS} runs, ${LATENCY_MS} ms a call, one worker`, `${(one / 1000).toFixed(1)} s`),
    // No target: of whole runs the turns of the agents are most, and their work lies on the same cores. `samples` has it.
    row(`${RUNS} runs, three workers`, `${(three / 1000).toFixed(1)} s, ${ratio.toFixed(2)} × one`),
  ];
}

async function carriedBy(count: number): Promise<number> {
  const redis = await startRedis();
  const project = await makeProject();
  const name = await makeChaosScenario(project, { rounds: 1, iterations: 1, samples: 24 });
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  await writeFile(
    join(project, 'config/profiles/bench.yaml'),
    'version: 1\nsamples_in_parallel: 4\nqueue: { reconcile_ms: 500 }\n',
  );
  const portFile = join(project, 'port');
  const simulator = start(project, ['simulate', name, '--port-file', portFile, '--latency', String(LATENCY_MS)]);
  const port = await portIn(portFile);
  const env = { TANDEM_QUEUE: redis.url, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'offline' };
  const ids = Array.from({ length: RUNS }, (_, index) => `run-${index}`);
  for (const id of ids) await tandem(project, ['run', name, '--detach', '--id', id, '--profile', 'bench'], env);
  const args = ['worker', '--profile', 'bench', '--concurrency', '2', '--grace', '0'];
  const fleet = Array.from({ length: count }, () => start(project, args, env));
  // Designs and approvals are not what is measured.
  await Promise.all(
    ids.map(async (id) => {
      const digest = await eventually(async () => {
        const state = await stateOfRun(project, id);
        if (state.status !== 'awaiting_approval') throw new Error(`${id} is ${state.status}`);
        return state.gate.digest;
      });
      await tandem(project, ['gates', 'approve', id, '--digest', digest, '--accept'], { ...env, TANDEM_QUEUE: '' });
    }),
  );
  const ms = await timed(async () => {
    for (const id of ids) {
      for (;;) {
        const state = await stateOfRun(project, id);
        if ('verdict' in state) break;
        if (state.status === 'errored') throw new Error(state.failure.message);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  });
  for (const worker of fleet) worker.kill('SIGTERM');
  await Promise.all(fleet.map((worker) => worker.done));
  simulator.kill('SIGTERM');
  await simulator.done;
  await redis.stop();
  return ms;
}
