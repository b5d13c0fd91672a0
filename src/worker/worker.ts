/** Continues the runs that were handed over: each job is one step of any run, or one trial that is played here. */
import { isHarnessError, describeError } from '../errors.ts';
import type { HandedBack, Job, Lane, StepLane } from '../ports/job-queue.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { decide } from '../run/decide.ts';
import { advance } from '../pipeline/drive/advance.ts';
import type { Deps } from '../pipeline/deps.ts';
import { giveUp } from '../pipeline/drive/drive.ts';
import type { ReconcileDeps } from './reconcile.ts';
import { findStepLane, findNextLane, wakeNext } from '../run-folder/hand-over.ts';
import { readState } from '../run-folder/snapshot.ts';
import { z } from 'zod';
import { openTrialSession, type TrialSession } from './trial-session.ts';
import { returnTrial } from './trial-files.ts';

export type WorkerDeps = ReconcileDeps & {
  /** The lanes that this worker serves. */
  lanes: readonly Lane[];
  /** Model, sandbox and prompts for the run's scenario, opened on first use. */
  depsFor: (run: RunFolder) => Promise<Deps>;
  /** The worker's name when it gives a job back. */
  name: string;
  /** Returns what this worker lacks for the run's next step, or undefined when it can do it. */
  lacks?: (run: RunFolder, lane: StepLane) => Promise<string | undefined>;
  /** Plays trials of evaluations that any worker holds. */
  trials: TrialPlayer;
  /** Called after a step that leaves nothing more to do: the run has ended, or waits for a person. */
  onRest?: (run: RunFolder) => Promise<void>;
};

/** Takes jobs until the queue is closed. */
export async function runWorker(deps: WorkerDeps): Promise<void> {
  const reported = new Set<string>();
  const reportOnce = (detail: string): void => {
    if (!reported.has(detail)) deps.progress({ type: 'state', status: 'notice', detail });
    reported.add(detail);
  };
  await deps.queue.work((job, signal) => runJob(job, { ...deps, reportOnce }, signal));
}

async function runJob(
  job: Job,
  deps: WorkerDeps & { reportOnce: (detail: string) => void },
  signal: AbortSignal,
): Promise<HandedBack | void> {
  const back = (why: string, as: Pick<HandedBack, 'isOlder'> = {}): HandedBack => {
    deps.reportOnce(`Run ${job.run} is given back: ${why}`);
    return { worker: deps.name, why, ...as };
  };
  const found = await findJobRun(job, deps);
  if ('why' in found) return back(found.why, found.as);
  const { run } = found;
  if (job.lane === 'samples') return deps.trials.play(run, job, signal);
  try {
    const next = await findNextLane(run);
    if (next === undefined) return;
    // The run has advanced since it was woken: its next step belongs to other workers, or to another limit.
    if (next.lane !== job.lane || next.model !== job.model) return await deps.queue.wake({ run: run.id, ...next });
    const lack = await deps.lacks?.(run, next.lane);
    if (lack !== undefined) return back(lack);
    await advance(run.dir, await deps.depsFor(run), signal);
  } catch (error) {
    // This worker's version differs, or it cannot confine the code; another worker may fit.
    if (isHarnessError(error, 'version_mismatch') || isHarnessError(error, 'sandbox_unavailable'))
      return back(error.message);
    if (signal.aborted || !isHarnessError(error, 'attempt_lost')) throw error;
    // The worker that took the step over continues it.
    deps.progress({ type: 'state', status: 'notice', detail: error.message });
    return undefined;
  }
  await wakeNext(run, deps);
  await reportRest(run, deps);
}

/** Reports are for people, so a failed report does not fail the run. */
async function reportRest(run: RunFolder, { onRest, progress }: WorkerDeps): Promise<void> {
  if (findStepLane(decide(await readState(run))) !== undefined) return;
  await onRest?.(run).catch((error: unknown) => {
    progress({ type: 'state', status: 'notice', detail: `run ${run.id}: ${describeError(error)}` });
  });
}

type JobRun = { run: RunFolder } | { why: string; as?: Pick<HandedBack, 'isOlder'> };

/** `why` explains a missing run: its folder is not shared here, or it is another project's or a newer program's. */
async function findJobRun(job: Job, { store }: WorkerDeps): Promise<JobRun> {
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

/** After the last failed try, or too many dead workers, the run records the error and waits for `tandem resume`. */
export async function giveUpJob(job: Job, error: unknown, deps: WorkerDeps): Promise<void> {
  const { run } = job;
  try {
    // A trial is no step, so the worker that holds its evaluation continues it.
    if (job.lane === 'samples') await deps.trials.giveUp(await deps.store.open(run), job, error);
    else await giveUp(run, error, deps);
  } catch (fault) {
    // The run has advanced, or cannot be written to; reconciling looks at it again.
    deps.progress({ type: 'state', status: 'notice', detail: `run ${run}: ${describeError(fault)}` });
  }
}

/** Content of the queue is validated like all outside input. */
const Pointer = z.strictObject({
  attempt: z.string().regex(/^execute\.i\d+@[A-Za-z0-9._-]+$/),
  sample: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  trial: z.int().positive(),
});

export type TrialPlayer = {
  play(run: RunFolder, job: Job, signal: AbortSignal): Promise<void>;
  /** Called when the queue gives the trial up, because its workers died too often. */
  giveUp(run: RunFolder, job: Job, why: unknown): Promise<void>;
  close(): Promise<void>;
};

type TrialPlayerOptions = {
  depsFor: (run: RunFolder) => Promise<Deps>;
  /** The worker's name in the records of the trials. */
  worker: string;
  /** Milliseconds for which a session stays open without a trial of its attempt. */
  restMs?: number;
};

type SessionInUse = { session: Promise<TrialSession | undefined>; busy: number; timer?: NodeJS.Timeout };

/** Plays trials of evaluations that other workers hold: one session per attempt, open while there are trials of it. */
export function createTrialPlayer({ depsFor, worker, restMs = 5_000 }: TrialPlayerOptions): TrialPlayer {
  const sessions = new Map<string, SessionInUse>();

  const leave = (key: string, held: SessionInUse): void => {
    if (sessions.get(key) === held) sessions.delete(key);
    clearTimeout(held.timer);
    void held.session.then((session) => session?.close()).catch(() => undefined);
  };

  const take = (run: RunFolder, attempt: string): [string, SessionInUse] => {
    const key = `${run.dir}\n${attempt}`;
    const held = sessions.get(key) ?? {
      session: depsFor(run).then((deps) => openTrialSession(run, attempt, { deps, worker })),
      busy: 0,
    };
    clearTimeout(held.timer);
    held.busy += 1;
    sessions.set(key, held);
    return [key, held];
  };

  return {
    play: async (run, { trial: pointer }, signal) => {
      const parsed = Pointer.safeParse(pointer);
      if (!parsed.success) return;
      const { attempt, sample, trial } = parsed.data;
      const [key, held] = take(run, attempt);
      try {
        const session = await held.session;
        await session?.play(sample, trial, signal);
      } catch (error) {
        signal.throwIfAborted();
        // No trial can be played here; the holder finds out the reason by itself.
        leave(key, held);
        await handBackTrial(run, parsed.data, error);
      } finally {
        held.busy -= 1;
        if (held.busy === 0) held.timer = setTimeout(() => leave(key, held), restMs).unref();
      }
    },
    giveUp: async (run, { trial }, why) => {
      const parsed = Pointer.safeParse(trial);
      if (parsed.success) await handBackTrial(run, parsed.data, why);
    },
    close: async () => {
      const open = [...sessions.values()];
      sessions.clear();
      for (const { timer } of open) clearTimeout(timer);
      const opened = await Promise.allSettled(open.map(({ session }) => session));
      await Promise.all(
        opened.map(async (session) => (session.status === 'fulfilled' ? session.value?.close() : undefined)),
      );
    },
  };
}

/** A lost attempt needs nothing back. */
async function handBackTrial(
  run: RunFolder,
  { attempt, sample, trial }: z.infer<typeof Pointer>,
  why: unknown,
): Promise<void> {
  const place = run.artifacts.attemptAt(attempt, '');
  await returnTrial(place, `${sample}.${trial}`, describeError(why)).catch(() => undefined);
}
