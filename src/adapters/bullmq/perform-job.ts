/** One job: our errors become BullMQ's verbs, and no raw error text goes into the database. */
import { DelayedError, UnrecoverableError, WaitingError, Worker, type Job as BullJob } from 'bullmq';
import { HarnessError, messageOf } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { HandedBack, HandleJob, Job, Lane } from '../../ports/job-queue.ts';
import type { LaneWorker } from './reconnecting-worker.ts';
import { storable } from './clean-text.ts';

const TRIAL_AGAIN_MS = 250;

export type Retry = { attempt: number; error: Error };

export type JobHooks = {
  /** For people: nothing is decided on it. */
  onRetry: (job: Job, retry: Retry) => void;
  /** The error was final, or the last try failed: awaited before the job is given up. */
  onGaveUp: (job: Job, error: unknown) => Promise<void>;
};

/** What became of a job whose handler ended. */
export type JobEnds = {
  /** The worker cannot do it: the run's step is offered again after so many milliseconds, and who looks on is informed. */
  handedBack: (job: Job, back: HandedBack) => Promise<number>;
  /** What was said of the run's step before is over. */
  done: (job: Job) => Promise<void>;
};

export type Performance = {
  lane: Lane;
  model?: string | undefined;
  handle: HandleJob;
  hooks: JobHooks;
  ends: JobEnds;
  /** Fires when this process stops; the job goes back to the queue then. */
  stopping: AbortSignal;
  /** True once nothing more is taken: a job that was on its way here then goes back, while the steps of other lanes still run. */
  isClosed: () => boolean;
  /** Jobs that run here, by job id; aborted when their lock is lost. */
  live: Map<string, AbortController>;
  mostStarts: number;
  worker: () => LaneWorker;
  /** Takes nothing until others have had the chance, who would otherwise always be slower than this worker. */
  rest: (ms: number) => void;
};

export async function performJob(
  { job, token, cancelled }: { job: BullJob<Job, void>; token: string; cancelled: AbortSignal },
  of: Performance,
): Promise<void> {
  if (of.isClosed()) return backToTheQueue(job, token);
  const own = new AbortController();
  const id = job.id ?? '';
  of.live.set(id, own);
  const signal = AbortSignal.any([own.signal, cancelled, of.stopping]);
  const pointer = pointerOf(job.data, of);
  try {
    signal.throwIfAborted();
    const back = await of.handle(pointer, signal);
    if (back === undefined) return await of.ends.done(pointer);
    return await handBack({ job, token, pointer, back }, of);
  } catch (error) {
    if (error instanceof DelayedError) throw error;
    if (of.stopping.aborted) return await backToTheQueue(job, token);
    if (signal.aborted) throw storable(error);
    throw await verbOf(error, { job, pointer }, of);
  } finally {
    of.live.delete(id);
  }
}

/** A job with the lane that it was taken from. */
export function pointerOf({ run, trial, turn }: Job, { lane, model }: Pick<Performance, 'lane' | 'model'>): Job {
  return omitUndefined({ run, lane, model, trial, turn });
}

/** A deploy is no failure: the job waits for the next worker, and no try is used up. */
async function backToTheQueue(job: BullJob<Job, void>, token: string): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

type GivenBack = { job: BullJob<Job, void>; token: string; pointer: Job; back: HandedBack };

/** A server that is away at this moment is no fault of the job, which is tried again. */
async function handBack({ job, token, pointer, back }: GivenBack, of: Performance): Promise<void> {
  try {
    if (pointer.trial !== undefined) return await toAnother(job, token, of);
    of.rest(await of.ends.handedBack(pointer, back));
  } catch (cause) {
    if (cause instanceof DelayedError) throw cause;
    const message = `The queue did not take the job back: ${messageOf(cause)}.`;
    throw new HarnessError('infrastructure', message, { retryable: true, cause });
  }
}

/** A trial has its own id, and is offered again as it is. Most likely somebody else is faster than this worker. */
async function toAnother(job: BullJob<Job, void>, token: string, { rest }: Performance): Promise<never> {
  rest(TRIAL_AGAIN_MS);
  await job.moveToDelayed(Date.now() + TRIAL_AGAIN_MS, token);
  throw new DelayedError();
}

async function verbOf(
  error: unknown,
  { job, pointer }: { job: BullJob<Job, void>; pointer: Job },
  of: Performance,
): Promise<Error> {
  const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1) || job.attemptsStarted >= of.mostStarts;
  if (!isRetryable(error) || isLast) {
    await of.hooks.onGaveUp(pointer, error);
    return new UnrecoverableError(storable(error).message);
  }
  of.hooks.onRetry(pointer, { attempt: job.attemptsMade + 1, error });
  const pauseMs = pauseOf(error);
  if (pauseMs === undefined) return storable(error);
  // The provider's limit is everybody's: no worker takes a job of this lane before it is over.
  await of.worker().rateLimit(pauseMs);
  return Worker.RateLimitError();
}

/** Only what says of itself that a later try may help. */
function isRetryable(error: unknown): error is Error {
  return error instanceof Error && 'retryable' in error && error.retryable === true;
}

/** The pause that the model's provider requested. */
function pauseOf(error: Error): number | undefined {
  if (!(error instanceof HarnessError) || error.code !== 'model_unavailable') return undefined;
  const { retryAfterMs } = error.details;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : undefined;
}
