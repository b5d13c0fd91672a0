/** Drives the runs of a batch, some at a time: each in its own lane, so that none waits for another's gate or fault. */
import pLimit from 'p-limit';
import type { Scenario } from '../config/load-scenario.ts';
import type { OnGate } from '../config/schema.ts';
import { HarnessError, isHarnessError, messageOf } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { answerByPolicy, refuseUnsafePolicy, waitForDecision, type DrivenApp } from '../pipeline/drive/answer-gates.ts';
import { driveToRest } from '../pipeline/drive/drive.ts';
import { nameToDrive } from '../pipeline/drive/name-to-drive.ts';
import { currentConfig, noteEconomy } from '../pipeline/run-config.ts';
import { beginRun } from '../pipeline/start-run.ts';
import type { Turn } from '../ports/job-queue.ts';
import type { Progress, ProgressEvent } from '../ports/progress.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { EventBody } from '../run/event.ts';
import type { RunSnapshot } from '../run/snapshot.ts';
import type { Forecast } from '../scenario/forecast/forecast.ts';
import type { RunState } from '../run/state.ts';
import { readEvents } from '../run-folder/snapshot.ts';
import { serially } from '../disk/serially.ts';
import { refuseDamagedTranscripts } from '../run-folder/transcript-digest.ts';
import { transact } from '../run-folder/transact.ts';
import { findRunOf, type Batch, type BatchRun } from './batch.ts';
import type { BatchStore } from '../ports/batches.ts';
import { openRoom, type Room } from './room.ts';
import { batchPause, joinBatch } from './spending.ts';

/** What one scenario's runs share: a model client, a sandbox, and perhaps an offline model. */
export type OpenScenario = DrivenApp & {
  scenario: Scenario;
  /** What each of its runs is to cost. */
  forecast?: Forecast | undefined;
  /** One more run at the same time, with its own queue and progress. */
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

type Driving = BatchDrive & {
  openOnce: BatchDrive['open'];
  turn: ReturnType<typeof pLimit>;
  room: Room;
  inTurn: ReturnType<typeof serially>;
};

/** Contract: rejects only when everything was stopped. The failure of one run is reported and leaves the others alone. */
export async function driveBatch(drive: BatchDrive): Promise<void> {
  const opened = new Map<string, Promise<OpenScenario>>();
  const openOnce = (entry: BatchRun): Promise<OpenScenario> => {
    const app = opened.get(entry.scenario) ?? openSafely(entry, drive);
    opened.set(entry.scenario, app);
    return app;
  };
  const room = openRoom(drive.batch.budgetUsd ?? Number.POSITIVE_INFINITY);
  const driving = { ...drive, openOnce, turn: pLimit(drive.maxParallel), room, inTurn: serially() };
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

/** A run takes a turn only while it works: one that waits for a person makes room. */
async function driveRun(entry: BatchRun, driving: Driving): Promise<void> {
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
    // A wrong flag is wrong for all of them.
    if (isHarnessError(error, 'unsafe_policy') || !(error instanceof HarnessError)) throw error;
    progressOf(entry.run)({ type: 'state', status: 'stopped', detail: messageOf(error) });
    await onRest(entry);
  }
}

/** To the next rest, through every gate that a policy answers. Undefined when it had ended before. */
async function driveOnce(entry: BatchRun, driving: Driving, first: boolean): Promise<RunState | undefined> {
  const { signal, onGate, room } = driving;
  signal.throwIfAborted();
  const app = await driving.openOnce(entry);
  const lane = await app.lane(driving.progressOf(entry.run));
  const turn = turnOf(entry, driving.batch);
  try {
    // In the order of the batch: the money goes to its first runs.
    const { run, entered } = await driving.inTurn(() => beginOrGoOn(entry, app, { ...driving, first }));
    if (entered === undefined) return undefined;
    if (room.waits(run.id)) lane.deps.progress(WAITS);
    await entered;
    try {
      const name = await nameToDrive(run, lane.deps);
      for (;;) {
        const state = await driveToRest(name, { ...lane.deps, turn }, signal);
        if (state.status !== 'awaiting_approval' || !onGate.startsWith('auto:')) return state;
        if (!(await answerByPolicy(run.dir, state, { app: { ...app, deps: lane.deps }, onGate }))) return state;
      }
    } finally {
      // Opened again: a store's working copy may have been given up meanwhile.
      room.leave(run.id, await spentBy(await lane.deps.store.open(run.dir)));
    }
  } finally {
    await lane.close();
  }
}

/** Its first runs are offered before its last ones; another batch comes in between. */
function turnOf(entry: BatchRun, { runs, priority }: Batch): Turn {
  return omitUndefined({ priority, place: runs.indexOf(entry) });
}

type Begun = { run: RunFolder; entered?: Promise<void> };

/** With its place under the cap, which may come later; without one for a run that is not to go on. */
async function beginOrGoOn(entry: BatchRun, app: OpenScenario, driving: Driving & { first: boolean }): Promise<Begun> {
  const { first, room, signal } = driving;
  const run = await ensureRun(entry, app, driving);
  if (first) await refuseDamagedTranscripts(run, await readEvents(run));
  const goesOn = !first || (await readyToGoOn(run, driving));
  const spent = await spentBy(run);
  if (goesOn) return { run, entered: room.enter(run.id, { spent, expected: app.forecast?.p90 ?? 0 }, signal) };
  room.leave(run.id, spent);
  return { run };
}

const WAITS: ProgressEvent = {
  ...{ type: 'state', status: 'notice' },
  detail: 'waits until another run of the batch rests: what both are expected to cost does not fit under its cap',
};

/** What may have been paid counts. */
async function spentBy({ spending }: RunFolder): Promise<number> {
  return (await spending.list()).reduce((sum, { usd, uncertainUsd }) => sum + usd + uncertainUsd, 0);
}

/** Folder, membership, first event: in this order, so that the next start completes what a crash left. */
async function ensureRun(
  entry: BatchRun,
  { deps, scenario, forecast }: OpenScenario,
  driving: Driving,
): Promise<RunFolder> {
  const { store, simulated } = deps;
  const { batch, batches, configDigest, actor } = driving;
  const made = await findRunOf(store, await batches.dirOf(entry));
  const run = made ?? (await store.create(scenario.dir, entry.run));
  await noteEconomy(run, deps.config);
  if ((await readEvents(run)).length > 0) return run;
  await joinBatch(run, batch.id);
  await beginRun(run, scenario, { actor, configDigest, simulated, stored: currentConfig(deps), forecast });
  return run;
}

/** A stop whose reason is gone is undone; what a person must free is left alone. False when nothing is to do. */
async function readyToGoOn(run: RunFolder, { batch, actor }: Driving): Promise<boolean> {
  const choose = ({ state }: RunSnapshot): EventBody | undefined => {
    if (state.status === 'errored') return { type: 'run.retried' };
    if (state.status === 'paused' && state.pause.reason === 'provider') return { type: 'run.resumed' };
    const isOurs = state.status === 'paused' && state.pause.reason === 'budget';
    return isOurs && state.pause.detail.startsWith(batchPause(batch.id)) ? { type: 'run.resumed' } : undefined;
  };
  const { state } = (await transact(run, choose, actor)).after;
  return !('verdict' in state) && state.status !== 'paused';
}
