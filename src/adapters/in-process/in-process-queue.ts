/** The job queue inside this process: wake-ups are kept in memory, and losing them loses no data, which is on disk. */
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import { isHarnessError, isRetryable, usageError } from '../../errors.ts';
import type { HandleJob, Job, JobQueue } from '../../ports/job-queue.ts';

export type InProcessQueueOptions = {
  /** The number of runs that are handled at the same time. */
  concurrency?: number;
  /** The number of tries of a run that keeps failing with retryable errors; the pause doubles from `minDelayMs` on. */
  tries?: number;
  minDelayMs?: number;
  maxDelayMs?: number;
  /** Informs people only; nothing is decided on it. */
  onRetry?: (job: Job, retry: { attempt: number; delayMs: number; error: Error }) => void;
};

// oxlint-disable-next-line max-lines-per-function -- one state machine; its parts are named closures over it
export function createInProcessQueue(options: InProcessQueueOptions = {}): JobQueue {
  const { concurrency = 4, tries = 4, minDelayMs = 5_000, maxDelayMs = 60_000, onRetry } = options;
  const limit = pLimit(concurrency);
  const closing = new AbortController();
  /** Runs whose wake-up was not taken yet. */
  const waiting = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const quiet = new Set<PromiseWithResolvers<void>>();
  /** The first final error since the last read. */
  let failure: { error: unknown } | undefined;
  let handle: HandleJob | undefined;
  let isTaking = true;

  /** Takes every wake-up whose run is not being handled; a run in progress waits for its next turn. */
  const takeAll = (): void => {
    if (handle === undefined || !isTaking) return;
    for (const run of [...waiting].filter((candidate) => !running.has(candidate))) start(run, handle);
    if (waiting.size === 0 && running.size === 0) settleIdle();
  };

  const start = (run: string, work: HandleJob): void => {
    const done = attempts(run, work)
      .catch((error: unknown) => {
        // After `close()` every error is an effect of the abort.
        if (!closing.signal.aborted) failure ??= { error };
      })
      .finally(() => {
        running.delete(run);
        takeAll();
      });
    running.set(run, done);
  };

  /** A run between two tries takes no slot, so other runs continue meanwhile. */
  const attempts = (run: string, work: HandleJob): Promise<void> =>
    pRetry(
      () =>
        limit(async () => {
          closing.signal.throwIfAborted();
          // This try sees every change up to here; a later change is another wake-up.
          waiting.delete(run);
          await work({ run }, closing.signal);
        }),
      {
        retries: tries - 1,
        minTimeout: minDelayMs,
        maxTimeout: maxDelayMs,
        randomize: true,
        signal: closing.signal,
        // In a long outage every try answers a few calls, and none of them says that the next would not.
        shouldConsumeRetry: ({ error }) => !isHarnessError(error) || error.details['advanced'] !== true,
        shouldRetry: ({ error }) => isRetryable(error) && readPauseMs(error) <= LONGEST_PAUSE_MS,
        onFailedAttempt: async ({ error, attemptNumber, retriesLeft, retryDelay }) => {
          const pauseMs = readPauseMs(error);
          if (!isRetryable(error) || retriesLeft <= 0 || pauseMs > LONGEST_PAUSE_MS) return;
          onRetry?.({ run }, { attempt: attemptNumber, delayMs: Math.max(retryDelay, pauseMs), error });
          if (pauseMs > retryDelay) await delay(pauseMs - retryDelay, undefined, { signal: closing.signal });
        },
      },
    );

  const settleIdle = (): void => {
    if (quiet.size === 0) return;
    for (const { resolve, reject } of quiet) {
      if (failure === undefined) resolve();
      else reject(failure.error);
    }
    failure = undefined;
    quiet.clear();
  };

  return {
    wake: async ({ run }) => {
      if (!isTaking) return;
      waiting.add(run);
      takeAll();
    },
    work: async (handler) => {
      if (handle !== undefined) throw usageError('This queue is being worked on already: create another one.');
      if (!isTaking) throw usageError('This queue is closed: create another one.');
      handle = handler;
      takeAll();
    },
    idle: () => {
      const waiter = Promise.withResolvers<void>();
      quiet.add(waiter);
      if (waiting.size === 0 && running.size === 0) settleIdle();
      return waiter.promise;
    },
    close: async (graceMs = 0) => {
      isTaking = false;
      await Promise.race([Promise.all(running.values()), delay(graceMs, undefined, { ref: false })]);
      closing.abort();
      // A caller that waits for dropped work must get an error, not a success.
      if (waiting.size + running.size > 0) failure ??= { error: closing.signal.reason };
      waiting.clear();
      await Promise.all(running.values());
      settleIdle();
    },
  };
}

/** The longest pause in a process; for a longer one the command ends and says when to return. */
const LONGEST_PAUSE_MS = 10 * 60_000;

/** The pause that the provider requested, according to the error of the last call. */
function readPauseMs(error: unknown): number {
  const requestedMs = isHarnessError(error) ? error.details['retryAfterMs'] : undefined;
  return typeof requestedMs === 'number' ? requestedMs : 0;
}
