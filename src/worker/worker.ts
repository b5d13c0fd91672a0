/** Carrying on the runs that were handed over: one step or one trial a job, whichever run it belongs to. */
import { isHarnessError, messageOf } from '../errors.ts';
import type { HandedBack, Job, Lane, StepLane } from '../ports/job-queue.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { decide } from '../run/decide.ts';
import { advance } from '../pipeline/drive/advance.ts';
import type { Deps } from '../pipeline/deps.ts';
import { giveUp } from '../pipeline/drive/drive.ts';
import type { TrialPlayer } from './play-trials.ts';
import type { ReconcileDeps } from './reconcile.ts';
import { laneOf, nextLaneOf, wakeNext } from '../run-folder/hand-over.ts';
import { readState } from '../run-folder/snapshot.ts';

export type WorkerDeps = ReconcileDeps & {
  /** The lanes that this worker serves. */
  lanes: readonly Lane[];
  /** Model, sandbox and prompts for the run's scenario, opened when they are needed for the first time. */
  depsFor: (run: RunFolder) => Promise<Deps>;
  /** As it is named where it gives something back. */
  name: string;
  /** What this worker lacks for the run's next step; undefined when it can do it. */
  lacks?: (run: RunFolder, lane: StepLane) => Promise<string | undefined>;
  /** Plays trials of evaluations that any worker holds. */
  trials: TrialPlayer;
  /** After a step that leaves nothing more to do: the run has ended, or waits for a person. */
  onRest?: (run: RunFolder) => Promise<void>;
};

/** Takes jobs until the queue is closed. */
export async function carryRuns(deps: WorkerDeps): Promise<void> {
  const reported = new Set<string>();
  const reportOnce = (detail: string): void => {
    if (!reported.has(detail)) deps.progress({ type: 'state', status: 'notice', detail });
    reported.add(detail);
  };
  await deps.queue.work((job, signal) => carryOne(job, { ...deps, reportOnce }, signal));
}

async function carryOne(
  job: Job,
  deps: WorkerDeps & { reportOnce: (detail: string) => void },
  signal: AbortSignal,
): Promise<HandedBack | void> {
  const back = (why: string, as: Pick<HandedBack, 'isOlder'> = {}): HandedBack => {
    deps.reportOnce(`Run ${job.run} is given back: ${why}`);
    return { worker: deps.name, why, ...as };
  };
  const found = await runOf(job, deps);
  if ('why' in found) return back(found.why, found.as);
  const { run } = found;
  if (job.lane === 'samples') return deps.trials.play(run, job, signal);
  try {
    const next = await nextLaneOf(run);
    if (next === undefined) return;
    // The run has moved on since it was woken: its next step belongs to other workers, or to another limit.
    if (next.lane !== job.lane || next.model !== job.model) return await deps.queue.wake({ run: run.id, ...next });
    const lack = await deps.lacks?.(run, next.lane);
    if (lack !== undefined) return back(lack);
    await advance(run.dir, await deps.depsFor(run), signal);
  } catch (error) {
    // This worker would carry it on with something else, or cannot confine its code: another may fit.
    if (isHarnessError(error, 'version_mismatch') || isHarnessError(error, 'sandbox_unavailable'))
      return back(error.message);
    if (signal.aborted || !isHarnessError(error, 'attempt_lost')) throw error;
    // The worker that took the step over goes on with it.
    deps.progress({ type: 'state', status: 'notice', detail: error.message });
    return undefined;
  }
  await wakeNext(run, deps);
  await reportRest(run, deps);
}

/** Reports are made for people: a run is no worse for lacking them. */
async function reportRest(run: RunFolder, { onRest, progress }: WorkerDeps): Promise<void> {
  if (laneOf(decide(await readState(run))) !== undefined) return;
  await onRest?.(run).catch((error: unknown) => {
    progress({ type: 'state', status: 'notice', detail: `run ${run.id}: ${messageOf(error)}` });
  });
}

type Found = { run: RunFolder } | { why: string; as?: Pick<HandedBack, 'isOlder'> };

/** Why there is none: the folder is not shared with this machine, the run is another project's that uses the same queue, or of a newer program. */
async function runOf(job: Job, { store }: WorkerDeps): Promise<Found> {
  const as = { isOlder: true } as const;
  try {
    const run = await store.open(job.run);
    const command = decide(await readState(run));
    return command.type === 'wait' && command.for === 'other_version' ? { why: command.why, as } : { run };
  } catch (error) {
    if (isHarnessError(error, 'version_mismatch')) return { why: error.message, as };
    if (!isHarnessError(error, 'not_found')) throw error;
    const why = `it does not see the run's folder (${error.message}) Share the project's folder with it, or give each project a queue of its own (TANDEM_QUEUE=…?space=<name>).`;
    return { why };
  }
}

/** The last try failed, or its workers died too often: the run says so and waits for `tandem resume`. */
export async function giveUpJob(job: Job, error: unknown, deps: WorkerDeps): Promise<void> {
  const { run } = job;
  try {
    // A trial is no step: the worker that holds its evaluation goes on with it.
    if (job.lane === 'samples') await deps.trials.giveUp(await deps.store.open(run), job, error);
    else await giveUp(run, error, deps);
  } catch (fault) {
    // The run moved on, or cannot be written to; reconciling looks at it again.
    deps.progress({ type: 'state', status: 'notice', detail: `run ${run}: ${messageOf(fault)}` });
  }
}
