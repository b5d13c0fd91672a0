/** What the harness adds to an agent's step, and how near to ideal samples run side by side. */
import { join } from 'node:path';
import { openApp, type App } from '../../src/app/open-app.ts';
import { findHome } from '../../src/config/home.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { loadScenario } from '../../src/config/load-scenario.ts';
import { advance } from '../../src/pipeline/advance.ts';
import { stateOf } from '../../src/pipeline/drive.ts';
import { startRun } from '../../src/pipeline/start-run.ts';
import type { ProgressEvent } from '../../src/ports/progress.ts';
import { makeChaosScenario, type ChaosSize } from '../../test/support/chaos-scenario.ts';
import { portIn } from '../../test/support/chaos.ts';
import { makeProject, start } from '../../test/support/cli.ts';
import { decide } from '../../test/support/project.ts';
import { median, row, type Row } from './measure.ts';

const SAMPLES = 200;
const LATENCY_MS = 50;
const AT_ONCE = 50;
/** Answers of the subject for one sample, one after the other. */
const CALLS_EACH = 3;
const signal = new AbortController().signal;

export async function steps(): Promise<Row[]> {
  const step = await overhead();
  const evaluation = await evaluationMs();
  const ideal = (SAMPLES / AT_ONCE) * CALLS_EACH * LATENCY_MS;
  const share = ideal / evaluation;
  return [
    row(
      'agent step, model call of the offline model on loopback included',
      `${step.toFixed(1)} ms median`,
      '≤ 10 ms',
      step <= 10,
    ),
    row(
      `${SAMPLES} samples of ${CALLS_EACH} × ${LATENCY_MS} ms, ${AT_ONCE} at once`,
      `${(evaluation / 1000).toFixed(2)} s, ideal ${(ideal / 1000).toFixed(2)} s (${share.toFixed(2)})`,
      '≥ 0.9 of ideal',
      share >= 0.9,
    ),
  ];
}

async function open(
  size: ChaosSize,
  latencyMs: number,
  onEvent: (event: ProgressEvent) => void,
): Promise<{ app: App; run: string; close: () => Promise<void> }> {
  const project = await makeProject();
  const name = await makeChaosScenario(project, size);
  const home = findHome(project);
  const config = await loadConfig(home, { flags: { samples_in_parallel: AT_ONCE } });
  const scenario = await loadScenario(home, join(project, 'scenarios', name));
  // A process of its own: what the model costs is not the harness's.
  const portFile = join(project, 'port');
  const model = start(project, [
    'simulate',
    '--scenario',
    name,
    '--port-file',
    portFile,
    '--latency',
    String(latencyMs),
  ]);
  const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${await portIn(portFile)}`, ANTHROPIC_API_KEY: 'offline' };
  const app = await openApp({ home, config, env, scenario, progress: onEvent, signal });
  const run = await startRun(
    scenario,
    { actor: 'user:bench', configDigest: 'bench', simulated: true, id: 'run-1' },
    app.deps,
  );
  const close = async (): Promise<void> => {
    await app.close();
    model.kill('SIGTERM');
    await model.done;
  };
  return { app, run: run.id, close };
}

/** From one answer of the agent to the next: tools, durable appends, the request, the call. */
async function overhead(): Promise<number> {
  const times: number[] = [];
  let last: number | undefined;
  const { app, run, close } = await open({ rounds: 1, iterations: 10, samples: 60 }, 0, ({ type }) => {
    if (type === 'phase') last = undefined;
    if (type !== 'step') return;
    const now = performance.now();
    if (last !== undefined) times.push(now - last);
    last = now;
  });
  await untilEvaluated(app, run);
  await close();
  return median(times);
}

async function evaluationMs(): Promise<number> {
  let [from, to] = [0, 0];
  const { app, run, close } = await open({ rounds: 1, iterations: 1, samples: SAMPLES }, LATENCY_MS, (event) => {
    if (event.type === 'phase' && event.phase === 'evaluate') from = performance.now();
    if (event.type === 'sample' && event.done === event.total) to = performance.now();
  });
  await untilEvaluated(app, run);
  await close();
  return to - from;
}

async function untilEvaluated(app: App, run: string): Promise<void> {
  for (;;) {
    const state = await stateOf(run, app.deps);
    if ('verdict' in state) return;
    if (state.status === 'errored') throw new Error(state.failure.message);
    if (state.status === 'awaiting_approval') await decide(app, state, 'approve');
    else await advance(run, app.deps, signal);
  }
}
