/** Tries a job of a plugin's queue as often as its limits allow. */
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError, isHarnessError } from '../../errors.ts';
import type { HandleJob, Job } from '../../ports/job-queue.ts';

export type JobTries = {
  tries: number;
  /** The wait before the second try; it doubles from then on. */
  minDelayMs: number;
  /** The most starts of the job, deaths of workers included. */
  mostStarts: number;
  onRetry: (job: Job, retry: { attempt: number; error: Error }) => void;
  work: HandleJob;
  starts: number;
};

/** Rejects with the final error. */
export async function tryJob(job: Job, of: JobTries, signal: AbortSignal): Promise<'done' | 'given back'> {
  const { tries, minDelayMs, mostStarts, starts, work, onRetry } = of;
  if (starts > mostStarts)
    throw new HarnessError('infrastructure', `It was begun ${mostStarts} times, and its workers died each time.`);
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return (await work(job, signal)) === undefined ? 'done' : 'given back';
    } catch (error) {
      if (signal.aborted || !isRetryable(error) || attempt >= tries) throw error;
      onRetry(job, { attempt, error });
      const requestedMs = isHarnessError(error) ? error.details['retryAfterMs'] : undefined;
      const pauseMs = typeof requestedMs === 'number' ? requestedMs : 0;
      await delay(Math.max(pauseMs, minDelayMs * 2 ** (attempt - 1)), undefined, { signal });
    }
  }
}

/** Only an error that declares itself retryable is tried again. */
function isRetryable(error: unknown): error is Error {
  return error instanceof Error && 'retryable' in error && error.retryable === true;
}
