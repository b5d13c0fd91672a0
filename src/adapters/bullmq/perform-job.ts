/** Performs one job: our errors become BullMQ's own, and no raw error text goes into the database. */
import { DelayedError, UnrecoverableError, WaitingError, Worker, type Job as BullJob } from 'bullmq';
import { HarnessError, describeError, isRetryable } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { HandedBack, HandleJob, Job, Lane } from '../../ports/job-queue.ts';
import type { LaneWorker } from './reconnecting-worker.ts';
import { toStorableError } from './clean-text.ts';

const TRIAL_AGAIN_MS = 250;

export type JobRetry = { attempt: number; error: Error };

export type JobHooks = {
  /** Informs people only; nothing is decided on it. */
  onRetry: (job: Job, retry: JobRetry) => void;
  /** Called after a final error or the last failed try, and awaited before the job is given up. */
  onGaveUp: (job: Job, error: unknown) => Promise<void>;
};

/** Hooks that are called when the handler of a job has ended. */
export type JobEndHooks = {
  /** This worker cannot do the step: resolves with the delay in ms until it is offered again, and informs observers. */
  handedBack: (job: Job, back: HandedBack) => Promise<number>;
  /** Removes earlier reports about the run's step. */
  done: (job: Job) => Promise<void>;
};

export type JobContext = {
  lane: Lane;
  model?: string | undefined;
  handle: HandleJob;
  hooks: JobHooks;
  ends: JobEndHooks;
  /** Fires when this process stops; the job then goes back to the queue. */
  stopping: AbortSignal;
  /** True once no more jobs are taken: a job that arrives then goes back, while the steps of other lanes still run. */
  isClosed: () => boolean;
  /** The jobs that run here, by job id; a job is aborted when its lock is lost. */
  live: Map<string, AbortController>;
  mostStarts: number;
  worker: () => LaneWorker;
  /** Pauses this worker, so that others, which would otherwise always be slower, can take the job. */
  rest: (ms: number) => void;
};

export async function performJob(
  { job, token, cancelled }: { job: BullJob<Job, void>; token: string; cancelled: AbortSignal },
  of: JobContext,
): Promise<void> {
  if (of.isClosed()) return returnToQueue(job, token);
  const own = new AbortController();
  const id = job.id ?? '';
  of.live.set(id, own);
  const signal = AbortSignal.any([own.signal, cancelled, of.stopping]);
  const pointer = toPointer(job.data, of);
  try {
    signal.throwIfAborted();
    const back = await of.handle(pointer, signal);
    if (back === undefined) return await of.ends.done(pointer);
    return await handBack({ job, token, pointer, back }, of);
  } catch (error) {
    if (error instanceof DelayedError) throw error;
    if (of.stopping.aborted) return await returnToQueue(job, token);
    if (signal.aborted) throw toStorableError(error);
    throw await toQueueError(error, job, of);
  } finally {
    of.live.delete(id);
  }
}

/** The job with the lane that it was taken from. */
export function toPointer({ run, trial, turn }: Job, { lane, model }: Pick<JobContext, 'lane' | 'model'>): Job {
  return omitUndefined({ run, lane, model, trial, turn });
}

/** A stopping process is no failure: the job waits for the next worker, and no try is used up. */
async function returnToQueue(job: BullJob<Job, void>, token: string): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

type GivenBack = { job: BullJob<Job, void>; token: string; pointer: Job; back: HandedBack };

/** An unreachable server is no fault of the job, so the job is tried again. */
async function handBack({ job, token, pointer, back }: GivenBack, of: JobContext): Promise<void> {
  try {
    if (pointer.trial !== undefined) return await offerToOthers(job, token, of);
    of.rest(await of.ends.handedBack(pointer, back));
  } catch (cause) {
    if (cause instanceof DelayedError) throw cause;
    const message = `The queue did not take the job back: ${describeError(cause)}.`;
    throw new HarnessError('infrastructure', message, { retryable: true, cause });
  }
}

/** A trial has its own id, and is offered again unchanged; most likely another worker is faster than this one. */
async function offerToOthers(job: BullJob<Job, void>, token: string, { rest }: JobContext): Promise<never> {
  rest(TRIAL_AGAIN_MS);
  await job.moveToDelayed(Date.now() + TRIAL_AGAIN_MS, token);
  throw new DelayedError();
}

async function toQueueError(error: unknown, job: BullJob<Job, void>, of: JobContext): Promise<Error> {
  const pointer = toPointer(job.data, of);
  const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1) || job.attemptsStarted >= of.mostStarts;
  if (!isRetryable(error) || isLast) {
    await of.hooks.onGaveUp(pointer, error);
    return new UnrecoverableError(toStorableError(error).message);
  }
  of.hooks.onRetry(pointer, { attempt: job.attemptsMade + 1, error });
  const pauseMs = readPauseMs(error);
  if (pauseMs === undefined) return toStorableError(error);
  // The provider's limit holds for all workers: none takes a job of this lane before the pause is over.
  await of.worker().rateLimit(pauseMs);
  return Worker.RateLimitError();
}

/** The pause that the model's provider requested. */
function readPauseMs(error: Error): number | undefined {
  if (!(error instanceof HarnessError) || error.code !== 'model_unavailable') return undefined;
  const { retryAfterMs } = error.details;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : undefined;
}
