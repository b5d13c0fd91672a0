/** Tries a call again for as long as its failures say that another try may help. */
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
  /** Pauses of so long in all, after tries that were not answered and cost nothing, before such a try counts as one. */
  outageMs?: number;
};

export type RetryNotice = { attempt: number; delayMs: number; reason: string; requestId?: string };

export type RetryOptions = {
  retry: RetryPolicy;
  /** Called before each pause with the failed try, the length of the pause, and its reason. */
  onRetry?: (notice: RetryNotice) => void;
  /** Runs during each pause: resolves when the next try may be made; gets the pause that the API requested. */
  again?: (retryAfterMs: number | undefined, signal: AbortSignal) => Promise<void>;
  /** Whether the endpoint answers at all, checked at no cost before the next try of a call whose connection was lost. */
  reachable?: (signal: AbortSignal) => Promise<boolean>;
  /** For tests: the pause, and the number in [0, 1) that spreads it. */
  wait?: (delayMs: number, signal: AbortSignal) => Promise<void>;
  random?: () => number;
};

/** A process that waits longer than this had better end and be woken again. */
const LONGEST_WAIT_MS = 10 * 60_000;

/** p-retry passes on thrown errors only, and gives up on every TypeError, so a verdict travels in an error of ours. */
export class FailedTry extends Error {
  override readonly name = 'FailedTry';
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(failure.error.message);
    this.failure = failure;
  }
}

/** Contract: rejects with the HarnessError of the last `FailedTry`, or with `signal.reason` as soon as it is aborted. */
export async function retrying<T>(attempt: () => Promise<T>, options: RetryOptions, signal: AbortSignal): Promise<T> {
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
        // The pause is ours, below: p-retry cannot take its length from the error.
        minTimeout: 0,
        shouldRetry: async ({ error, attemptNumber }) => {
          if (!(error instanceof FailedTry)) return false;
          const { waitMs, free } = error.failure;
          // An outage lasts minutes, and waiting for its end costs nothing; what may have been paid is tried a few times.
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
          const waited = (options.wait ?? pause)(delayMs, signal);
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

/** What was lost may have been paid, so an outage is not tried out with it. How long it waited, at most about `mostMs`. */
async function untilReachable(options: RetryOptions, mostMs: number, signal: AbortSignal): Promise<number> {
  const { maxDelayMs } = options.retry;
  let waitedMs = 0;
  for (let probe = 1; waitedMs < mostMs && (await options.reachable?.(signal)) === false; probe += 1) {
    options.onRetry?.({ attempt: probe, delayMs: maxDelayMs, reason: 'the endpoint does not answer' });
    await (options.wait ?? pause)(maxDelayMs, signal);
    waitedMs += maxDelayMs;
  }
  return waitedMs;
}

/** Undefined when the failure is final, or asks for more patience than a process should have. */
function pauseBefore(failure: CallFailure, attempt: number, options: RetryOptions): number | undefined {
  if (!failure.again || (failure.waitMs ?? 0) > LONGEST_WAIT_MS) return undefined;
  const { minDelayMs, maxDelayMs } = options.retry;
  const spread = (options.random ?? Math.random)();
  // Never earlier than requested, and not all callers at the same moment.
  if (failure.waitMs !== undefined) return Math.ceil(failure.waitMs + spread * minDelayMs);
  return Math.ceil(Math.min(minDelayMs * 2 ** (attempt - 1), maxDelayMs) * (0.5 + spread / 2));
}

async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await delay(delayMs, undefined, { signal });
}

function lastError({ error, waitMs }: CallFailure, tries: number): HarnessError {
  if (error.code !== 'model_unavailable') return error;
  const requested = waitMs === undefined ? '' : ` It asks for a pause of ${Math.ceil(waitMs / 1000)} s.`;
  return new HarnessError(
    error.code,
    `${error.message} Given up after ${tries} ${tries === 1 ? 'try' : 'tries'}.${requested} Run again later.`,
    {
      retryable: error.retryable,
      details: { ...error.details, tries, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) },
      cause: error.cause,
    },
  );
}
