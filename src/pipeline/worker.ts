/** Carrying on the runs that were handed over: one step a job, whichever run it belongs to. */
import { isHarnessError, messageOf } from '../errors.ts';
import type { Job, Lane } from '../ports/job-queue.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { decide } from '../run/decide.ts';
import { fold } from '../run/fold.ts';
import { advance } from './advance.ts';
import type { Deps } from './deps.ts';
import { giveUp } from './drive.ts';
import { laneOf, wakeNext, type WakeDeps } from './worker-wake.ts';

export type WorkerDeps = WakeDeps & {
  /** The lanes that this worker serves. */
  lanes: readonly Lane[];
  /** Model, sandbox and prompts for the run's scenario, opened when they are needed for the first time. */
  depsFor: (run: RunFolder) => Promise<Deps>;
  /** After a step that leaves nothing more to do: the run has ended, or waits for somebody. */
  onRest?: (run: RunFolder) => Promise<void>;
};

/** Takes jobs until the queue is closed. */
export async function carryRuns(deps: WorkerDeps): Promise<void> {
  await deps.queue.work((job, signal) => carryOne(job, deps, signal));
}

async function carryOne(job: Job, deps: WorkerDeps, signal: AbortSignal): Promise<void> {
  const run = await runOf(job, deps);
  if (run === undefined) return;
  const lane = laneOf(decide(fold(await run.journal.read())));
  if (lane === undefined) return;
  // The run has moved on since it was woken: its next step belongs to other workers, or to another limit.
  if (lane !== job.lane) return deps.queue.wake({ run: run.id, lane });
  try {
    await advance(run.dir, await deps.depsFor(run), signal);
  } catch (error) {
    if (signal.aborted || !isHarnessError(error, 'attempt_lost')) throw error;
    // The worker that took the step over goes on with it.
    deps.progress({ type: 'state', status: 'notice', detail: error.message });
    return undefined;
  }
  await wakeNext(run, deps);
  await tellRest(run, deps);
}

/** Reports are made for people: a run is no worse for lacking them. */
async function tellRest(run: RunFolder, { onRest, progress }: WorkerDeps): Promise<void> {
  if (laneOf(decide(fold(await run.journal.read()))) !== undefined) return;
  await onRest?.(run).catch((error: unknown) => {
    progress({ type: 'state', status: 'notice', detail: `run ${run.id}: ${messageOf(error)}` });
  });
}

/** Undefined for a run of another project that uses the same queue. */
async function runOf({ run }: Job, { store, progress }: WorkerDeps): Promise<RunFolder | undefined> {
  try {
    return await store.open(run);
  } catch (error) {
    if (!isHarnessError(error, 'not_found')) throw error;
    const advice = 'Give each project a queue of its own (TANDEM_QUEUE=…?space=<name>).';
    progress({ type: 'state', status: 'notice', detail: `${error.message} ${advice}` });
    return undefined;
  }
}

/** The last try failed, or its workers died too often: the run says so and waits for `tandem resume`. */
export async function giveUpJob({ run }: Job, error: unknown, deps: WorkerDeps): Promise<void> {
  try {
    await giveUp(run, error, deps);
  } catch (fault) {
    // The run moved on, or cannot be written to; reconciling looks at it again.
    deps.progress({ type: 'state', status: 'notice', detail: `run ${run}: ${messageOf(fault)}` });
  }
}
