/** Carries the runs of a batch on, some at a time: each in its own lane, so that none waits for another's gate or fault. */
import { existsSync } from 'node:fs';
import pLimit from 'p-limit';
import { dirname } from 'node:path';
import { openApp, type App } from '../../app/open-app.ts';
import { openStore } from '../../app/open-store.ts';
import type { Home } from '../../config/home.ts';
import { loadScenario, type Scenario } from '../../config/load-scenario.ts';
import type { Config, OnGate } from '../../config/schema.ts';
import { HarnessError, isHarnessError, messageOf } from '../../errors.ts';
import { runDir, type Batch, type BatchRun } from '../../batch/batch.ts';
import { batchPause, joinBatch } from '../../batch/spending.ts';
import { driveToRest } from '../../pipeline/drive/drive.ts';
import { currentConfig } from '../../pipeline/run-config.ts';
import { beginRun } from '../../pipeline/start-run.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import type { BatchScreen } from './screen.ts';
import { resumeTraffic, type Ci } from '../ci/ci.ts';
import { answerByPolicy, refuseUnsafePolicy, waitForDecision } from '../run/follow.ts';
import type { Io } from '../io.ts';
import { digestOfConfig } from '../run/run.ts';
import { readEvents } from '../../run-folder/snapshot.ts';
import { transact } from '../../run-folder/transact.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import type { EventBody } from '../../run/event.ts';

export type Driving = {
  batch: Batch;
  home: Home;
  config: Config;
  onGate: OnGate;
  maxParallel: number;
  actor: string;
  screen: BatchScreen;
  ci: Ci;
  io: Io;
  /** Called whenever a run rests: it waits, it ended, or it could not go on. */
  onRest: (entry: BatchRun) => Promise<void>;
};

/** Contract: rejects only when everything was stopped; what one run cannot do is told of and leaves the others alone. */
export async function driveBatch(driving: Driving): Promise<void> {
  const { batch, maxParallel, ci } = driving;
  const apps = openApps(driving);
  const turn = pLimit(maxParallel);
  try {
    const all = batch.runs.map((entry) => carry(entry, driving, apps.of, turn));
    const settled = await Promise.allSettled(all);
    ci.slice.signal.throwIfAborted();
    const broken = settled.find((one) => one.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
  } finally {
    await apps.close();
  }
}

type Apps = { of: (entry: BatchRun) => Promise<{ app: App; scenario: Scenario }>; close: () => Promise<void> };

/** One model client and one sandbox for all runs of a scenario; one offline model too, where that is what answers. */
function openApps({ home, config, batch, io, ci, onGate, screen }: Driving): Apps {
  const opened = new Map<string, Promise<{ app: App; scenario: Scenario }>>();
  const open = async (entry: BatchRun): Promise<{ app: App; scenario: Scenario }> => {
    const around = dirname(dirname(runDir(home.project, entry)));
    const scenario = await loadScenario(home, existsSync(around) ? around : entry.scenario);
    const first = batch.runs.find((run) => run.scenario === entry.scenario) ?? entry;
    const progress = screen.progressOf(first.run);
    const traffic = await resumeTraffic(ci.plan.traffic, await begunRuns(batch, entry.scenario, home));
    const app = await openApp({ home, config, env: io.env, scenario, progress, ...ci.models, traffic });
    try {
      refuseUnsafePolicy(app, onGate);
      return { app, scenario };
    } catch (error) {
      await app.close();
      throw error;
    }
  };
  return {
    of: (entry) => {
      const app = opened.get(entry.scenario) ?? open(entry);
      opened.set(entry.scenario, app);
      return app;
    },
    close: async () => {
      const all = await Promise.allSettled(opened.values());
      await Promise.all(all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.app.close()] : [])));
    },
  };
}

async function begunRuns({ runs }: Batch, scenario: string, home: Home): Promise<RunFolder[]> {
  const { store } = openStore(home);
  const dirs = runs.filter((run) => run.scenario === scenario).map((run) => runDir(home.project, run));
  return Promise.all(dirs.filter((dir) => existsSync(dir)).map((dir) => store.open(dir)));
}

/** A run holds its place only while something is done for it: who waits for a person makes room. */
async function carry(
  entry: BatchRun,
  driving: Driving,
  appOf: Apps['of'],
  turn: ReturnType<typeof pLimit>,
): Promise<void> {
  const { onGate, ci, screen, onRest } = driving;
  const { signal } = ci.slice;
  try {
    for (let first = true; ; first = false) {
      const state = await turn(() => driveOnce(entry, first, driving, appOf));
      if (state === undefined) return;
      await onRest(entry);
      if (state.status !== 'awaiting_approval' || onGate !== 'wait') return;
      const { app } = await appOf(entry);
      const dir = runDir(driving.home.project, entry);
      if (!(await waitForDecision(state, app.deps, { run: dir, timeoutMs: ci.plan.gateTimeoutMs, signal }))) return;
    }
  } catch (error) {
    signal.throwIfAborted();
    // A wrong flag is wrong for all of them.
    if (isHarnessError(error, 'unsafe_policy') || !(error instanceof HarnessError)) throw error;
    screen.progressOf(entry.run)({ type: 'state', status: 'stopped', detail: messageOf(error) });
    await onRest(entry);
  }
}

/** To the next rest, through every gate that a policy answers. Undefined when it had ended before. */
async function driveOnce(
  entry: BatchRun,
  first: boolean,
  driving: Driving,
  appOf: Apps['of'],
): Promise<RunState | undefined> {
  const { signal } = driving.ci.slice;
  signal.throwIfAborted();
  const { app, scenario } = await appOf(entry);
  const lane = await app.lane(driving.screen.progressOf(entry.run));
  try {
    const run = await ensureRun(entry, scenario, app, driving);
    if (first && !(await readyToGoOn(run, driving))) return undefined;
    const name = lane.deps.handedOver ? run.id : run.dir;
    for (;;) {
      const state = await driveToRest(name, lane.deps, signal);
      if (state.status !== 'awaiting_approval' || !driving.onGate.startsWith('auto:')) return state;
      if (!(await answerByPolicy(run.dir, state, { app: { ...app, deps: lane.deps }, onGate: driving.onGate })))
        return state;
    }
  } finally {
    await lane.close();
  }
}

/** Its folder, its membership, its first event: in this order, so that a crash in between is mended by the next start. */
async function ensureRun(entry: BatchRun, scenario: Scenario, app: App, driving: Driving): Promise<RunFolder> {
  const { store, simulated } = app.deps;
  const { batch, home, config, actor } = driving;
  const dir = runDir(home.project, entry);
  const run = existsSync(dir) ? await store.open(dir) : await store.create(scenario.dir, entry.run);
  if ((await readEvents(run)).length > 0) return run;
  await joinBatch(run, batch.id);
  await beginRun(run, scenario, {
    actor,
    configDigest: digestOfConfig(config),
    simulated,
    kept: currentConfig(app.deps),
  });
  return run;
}

/** What stopped for a reason that is gone is woken; what a person must free is left alone. False when nothing is to do. */
async function readyToGoOn(run: RunFolder, { batch, actor, onRest: _onRest }: Driving): Promise<boolean> {
  const choose = ({ state }: RunSnapshot): EventBody | undefined => {
    if (state.status === 'errored') return { type: 'run.retried' };
    const isOurs = state.status === 'paused' && state.pause.reason === 'budget';
    return isOurs && state.pause.detail.startsWith(batchPause(batch.id)) ? { type: 'run.resumed' } : undefined;
  };
  const { state } = (await transact(run, choose, actor)).after;
  return !('verdict' in state) && state.status !== 'paused';
}
