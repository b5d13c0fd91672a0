/** Repeats a call while its failures say that another try may help. */
import pRetry from 'p-retry';
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError } from '../../errors.ts';
import type { CallFailure } from './failure.ts';

export type RetryPolicy = {
  /** All tries of one call, the first one included. */
  tries: number;
  /** The pause before the second try; it doubles from then on. */
  minDelayMs: number;
  /** The longest pause of our own; a `retry-after` of the API may be longer. */
  maxDelayMs: number;
  /** The total of pauses after tries that cost nothing; only tries beyond it count towards `tries`. */
  outageMs?: number;
};

export type RetryNotice = { attempt: number; delayMs: number; reason: string; requestId?: string };

export type RetryOptions = {
  retry: RetryPolicy;
  /** Called before each pause with the failed try, the length of the pause, and its reason. */
  onRetry?: (notice: RetryNotice) => void;
  /** Runs during each pause, with the pause that the API requested; resolves when the next try may be made. */
  again?: (retryAfterMs: number | undefined, signal: AbortSignal) => Promise<void>;
  /** Checks free of charge whether the endpoint answers, before the next try of a call whose connection was lost. */
  reachable?: (signal: AbortSignal) => Promise<boolean>;
  /** For tests: the pause, and the number in [0, 1) that varies its length. */
  wait?: (delayMs: number, signal: AbortSignal) => Promise<void>;
  random?: () => number;
};

/** The longest pause in a process; for a longer one the process ends and is woken later. */
const LONGEST_WAIT_MS = 10 * 60_000;

/** p-retry accepts thrown errors only and never repeats a TypeError, so the verdict is wrapped in an error of ours. */
export class FailedTry extends Error {
  override readonly name = 'FailedTry';
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(failure.error.message);
    this.failure = failure;
  }
}

/** Contract: rejects with the HarnessError of the last `FailedTry`, or with `signal.reason` as soon as it is aborted. */
export async function retryCall<T>(attempt: () => Promise<T>, options: RetryOptions, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { tries: most, outageMs = 0 } = options.retry;
  let [tries, counted, pausedMs] = [0, 0, 0];
  try {
    return await pRetry(
      () => {
        tries += 1;
        return attempt();
      },
      {
        retries: Infinity,
        // The pause is made below, because p-retry cannot take its length from the error.
        minTimeout: 0,
        shouldRetry: async ({ error, attemptNumber }) => {
          if (!(error instanceof FailedTry)) return false;
          const { waitMs, free } = error.failure;
          // Waiting for the end of an outage costs nothing; a try that may have been paid is repeated a few times.
          if (free !== true || pausedMs >= outageMs) counted += 1;
          const delayMs = pauseBefore(error.failure, attemptNumber, options);
          if (counted >= most || delayMs === undefined || signal.aborted) return false;
          pausedMs += delayMs;
          const { requestId } = error.failure.error.details;
          const named = typeof requestId === 'string' ? { requestId } : {};
          options.onRetry?.({
            attempt: attemptNumber,
            delayMs,
            reason: error.failure.reason ?? error.message,
            ...named,
          });
          const waited = (options.wait ?? sleepFor)(delayMs, signal);
          await Promise.all([waited, options.again?.(waitMs, signal)]);
          if (error.failure.lost === true) pausedMs += await untilReachable(options, outageMs - pausedMs, signal);
          return true;
        },
      },
    );
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FailedTry) throw lastError(error.failure, tries);
    throw error;
  }
}

/** A lost try may have been paid, so the endpoint is probed instead. Returns the time waited, about `mostMs` at most. */
async function untilReachable(options: RetryOptions, mostMs: number, signal: AbortSignal): Promise<number> {
  const { maxDelayMs } = options.retry;
  let waitedMs = 0;
  for (let probe = 1; waitedMs < mostMs && (await options.reachable?.(signal)) === false; probe += 1) {
    options.onRetry?.({ attempt: probe, delayMs: maxDelayMs, reason: 'the endpoint does not answer' });
    await (options.wait ?? sleepFor)(maxDelayMs, signal);
    waitedMs += maxDelayMs;
  }
  return waitedMs;
}

/** Returns undefined when the failure is final, or asks for a longer pause than a process should make. */
function pauseBefore(failure: CallFailure, attempt: number, options: RetryOptions): number | undefined {
  if (!failure.again || (failure.waitMs ?? 0) > LONGEST_WAIT_MS) return undefined;
  const { minDelayMs, maxDelayMs } = options.retry;
  const spread = (options.random ?? Math.random)();
  // The pause is never shorter than requested, and its random part keeps callers from returning all at once.
  if (failure.waitMs !== undefined) return Math.ceil(failure.waitMs + spread * minDelayMs);
  return Math.ceil(Math.min(minDelayMs * 2 ** (attempt - 1), maxDelayMs) * (0.5 + spread / 2));
}

async function sleepFor(delayMs: number, signal: AbortSignal): Promise<void> {
  await delay(delayMs, undefined, { signal });
}

function lastError({ error, waitMs }: CallFailure, tries: number): HarnessError {
  if (error.code !== 'model_unavailable') return error;
  const requested = waitMs === undefined ? '' : ` It asks for a pause of ${Math.ceil(waitMs / 1000)} s.`;
  const message = `${error.message} Given up after ${tries} ${tries === 1 ? 'try' : 'tries'}.${requested} Run again later.`;
  const details = { ...error.details, tries, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) };
  return new HarnessError(error.code, message, { retryable: error.retryable, details, cause: error.cause });
}
