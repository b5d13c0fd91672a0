/** Drives the runs of a batch, several at a time: each has its own lane, so that none waits for another one. */
import pLimit from 'p-limit';
import type { Scenario } from '../config/load-scenario.ts';
import type { OnGate } from '../config/schema.ts';
import { HarnessError, isHarnessError, describeError } from '../errors.ts';
import { getOrCreate } from '../get-or-create.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { answerByPolicy, refuseUnsafePolicy, waitForDecision, type DrivenApp } from '../pipeline/drive/answer-gates.ts';
import { driveToRest, nameToDrive } from '../pipeline/drive/drive.ts';
import { currentConfig } from '../pipeline/run-config.ts';
import { beginRun } from '../pipeline/start-run.ts';
import type { Progress, ProgressEvent } from '../ports/progress.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { BatchStore } from '../ports/batches.ts';
import type { EventBody } from '../run/event.ts';
import type { RunSnapshot } from '../run/snapshot.ts';
import type { Forecast } from '../scenario/forecast/forecast.ts';
import type { RunState } from '../run/state.ts';
import { readEvents, transact, refuseDamagedTranscripts } from '../run-folder/snapshot.ts';
import { findRun } from '../run-folder/find-run.ts';
import { createSerialQueue } from '../disk/serial-queue.ts';
import { type Batch, type BatchRun, batchPause, joinBatch } from './batch.ts';
import { openAffordableRuns, type AffordableRuns } from './affordable-runs.ts';

/** Shared by all runs of one scenario: a model client, a sandbox, and perhaps an offline model. */
export type OpenScenario = DrivenApp & {
  scenario: Scenario;
  /** Expected cost of each run. */
  forecast?: Forecast | undefined;
  /** Opens a lane for one more parallel run, with its own queue and progress. */
  lane: (progress: Progress) => Promise<Pick<DrivenApp, 'deps'> & { close: () => Promise<void> }>;
  close: () => Promise<void>;
};

export type BatchDrive = {
  batch: Batch;
  batches: BatchStore;
  configDigest: string;
  onGate: OnGate;
  maxParallel: number;
  /** How long `--on-gate wait` waits for a decision. */
  gateTimeoutMs: number | undefined;
  actor: string;
  signal: AbortSignal;
  /** Called once for each scenario, with the first of its runs that is driven. */
  open: (entry: BatchRun) => Promise<OpenScenario>;
  progressOf: (run: string) => Progress;
  /** Called whenever a run rests: it waits, it ended, or it could not continue. */
  onRest: (entry: BatchRun) => Promise<void>;
};

type DriveContext = BatchDrive & {
  openOnce: BatchDrive['open'];
  turn: ReturnType<typeof pLimit>;
  room: AffordableRuns;
  inTurn: ReturnType<typeof createSerialQueue>;
};

/** Contract: rejects only when everything was stopped. The failure of one run is reported and leaves the others alone. */
export async function driveBatch(drive: BatchDrive): Promise<void> {
  const opened = new Map<string, Promise<OpenScenario>>();
  const openOnce = (entry: BatchRun): Promise<OpenScenario> =>
    getOrCreate(opened, entry.scenario, () => openSafely(entry, drive));
  const room = openAffordableRuns(drive.batch.budgetUsd ?? Number.POSITIVE_INFINITY);
  const driving = { ...drive, openOnce, turn: pLimit(drive.maxParallel), room, inTurn: createSerialQueue() };
  try {
    const settled = await Promise.allSettled(drive.batch.runs.map((entry) => driveRun(entry, driving)));
    drive.signal.throwIfAborted();
    const broken = settled.find((one) => one.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
  } finally {
    const all = await Promise.allSettled(opened.values());
    await Promise.all(all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])));
  }
}

async function openSafely(entry: BatchRun, { open, onGate }: BatchDrive): Promise<OpenScenario> {
  const app = await open(entry);
  try {
    refuseUnsafePolicy(app, onGate);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** A run takes one of the parallel places only while it works: a run that waits for a person frees its place. */
async function driveRun(entry: BatchRun, driving: DriveContext): Promise<void> {
  const { onGate, signal, batches, gateTimeoutMs: timeoutMs, turn, progressOf, onRest } = driving;
  try {
    for (let first = true; ; first = false) {
      const state = await turn(() => driveOnce(entry, driving, first));
      if (state === undefined) return;
      await onRest(entry);
      if (state.status !== 'awaiting_approval' || onGate !== 'wait') return;
      const { deps } = await driving.openOnce(entry);
      if (!(await waitForDecision(state, deps, { run: await batches.dirOf(entry), timeoutMs, signal }))) return;
    }
  } catch (error) {
    signal.throwIfAborted();
    // A wrong flag affects every run, so the whole batch fails.
    if (isHarnessError(error, 'unsafe_policy') || !(error instanceof HarnessError)) throw error;
    progressOf(entry.run)({ type: 'state', status: 'stopped', detail: describeError(error) });
    await onRest(entry);
  }
}

/** Drives to the next rest, through every gate that a policy answers. Returns undefined for a run that had ended. */
async function driveOnce(entry: BatchRun, driving: DriveContext, first: boolean): Promise<RunState | undefined> {
  const { batch, signal, onGate, room } = driving;
  signal.throwIfAborted();
  const app = await driving.openOnce(entry);
  const lane = await app.lane(driving.progressOf(entry.run));
  // The batch's first runs are offered before its last ones, with room for other batches in between.
  const turn = omitUndefined({ priority: batch.priority, place: batch.runs.indexOf(entry) });
  try {
    // Runs start in the order of the batch, so that its money goes to the first runs.
    const { run, entered } = await driving.inTurn(() => startOrResumeRun(entry, app, { ...driving, first }));
    if (entered === undefined) return undefined;
    if (room.waits(run.id)) lane.deps.progress(WAITING_NOTICE);
    await entered;
    try {
      const name = await nameToDrive(run, lane.deps);
      for (;;) {
        const state = await driveToRest(name, { ...lane.deps, turn }, signal);
        if (state.status !== 'awaiting_approval' || !onGate.startsWith('auto:')) return state;
        if (!(await answerByPolicy(run.dir, state, { app: { ...app, deps: lane.deps }, onGate }))) return state;
      }
    } finally {
      // The run is opened again, because the store may have given up its working copy meanwhile.
      room.leave(run.id, await sumSpending(await lane.deps.store.open(run.dir)));
    }
  } finally {
    await lane.close();
  }
}

/** `entered` resolves when the cap has room for the run; it is absent for a run that must not continue. */
async function startOrResumeRun(
  entry: BatchRun,
  app: OpenScenario,
  driving: DriveContext & { first: boolean },
): Promise<{ run: RunFolder; entered?: Promise<void> }> {
  const { first, room, signal } = driving;
  const run = await ensureRun(entry, app, driving);
  if (first) await refuseDamagedTranscripts(run, await readEvents(run));
  const goesOn = !first || (await resumeIfPossible(run, driving));
  const spent = await sumSpending(run);
  if (goesOn) return { run, entered: room.enter(run.id, { spent, expected: app.forecast?.p90 ?? 0 }, signal) };
  room.leave(run.id, spent);
  return { run };
}

const WAITING_NOTICE: ProgressEvent = {
  ...{ type: 'state', status: 'notice' },
  detail: 'waits until another run of the batch rests: what both are expected to cost does not fit under its cap',
};

/** Includes uncertain money: what may have been paid counts. */
async function sumSpending({ spending }: RunFolder): Promise<number> {
  return (await spending.list()).reduce((sum, { usd, uncertainUsd }) => sum + usd + uncertainUsd, 0);
}

/** Creates folder, membership and first event in this order, so that the next start completes what a crash left. */
async function ensureRun(
  entry: BatchRun,
  { deps, scenario, forecast }: OpenScenario,
  driving: DriveContext,
): Promise<RunFolder> {
  const { store, simulated } = deps;
  const { batch, batches, configDigest, actor } = driving;
  const made = await findRun(store, await batches.dirOf(entry));
  const run = made ?? (await store.create(scenario.dir, entry.run));
  if ((await readEvents(run)).length > 0) return run;
  await joinBatch(run, batch.id);
  await beginRun(run, scenario, { actor, configDigest, simulated, stored: currentConfig(deps), forecast });
  return run;
}

/** Undoes a stop whose reason is gone, unless a person must clear it. Returns false when there is nothing to do. */
async function resumeIfPossible(run: RunFolder, { batch, actor }: DriveContext): Promise<boolean> {
  const choose = ({ state }: RunSnapshot): EventBody | undefined => {
    if (state.status === 'errored') return { type: 'run.retried' };
    if (state.status === 'paused' && state.pause.reason === 'provider') return { type: 'run.resumed' };
    const isOurs = state.status === 'paused' && state.pause.reason === 'budget';
    return isOurs && state.pause.detail.startsWith(batchPause(batch.id)) ? { type: 'run.resumed' } : undefined;
  };
  const { state } = (await transact(run, choose, actor)).after;
  return !('verdict' in state) && state.status !== 'paused';
}
