/** Retries a request for the state of a batch through an outage of the endpoint, for longer than a call would be retried. */
import { setTimeout as delay } from 'node:timers/promises';
import { FailedTry } from '../retry.ts';

const LONGEST_AWAY_MS = 30 * 60_000;

export type OutageRetry = {
  /** After so many failures `onAway` is called, and from then on the time counts. */
  tries: number;
  pollMs: { min: number; max: number };
  onAway: (why: string) => void;
};

/** Contract: rejects with the error of a failure that another try cannot fix, or of the last one after half an hour. */
export async function retryThroughOutage<T>(
  look: () => Promise<T>,
  patience: OutageRetry,
  signal: AbortSignal,
): Promise<T> {
  const { tries, pollMs, onAway } = patience;
  const since = Date.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof FailedTry)) throw error;
      const { failure } = error;
      const isLong = attempt >= tries && Date.now() - since >= LONGEST_AWAY_MS;
      if (!failure.again || isLong) throw failure.error;
      if (attempt === tries) onAway(error.message);
      const pauseMs = Math.min(pollMs.min * 2 ** (attempt - 1), pollMs.max);
      await delay(Math.max(failure.waitMs ?? 0, pauseMs), undefined, { signal });
    }
  }
}
