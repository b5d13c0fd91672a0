/** Plays trials again that an outage left unscored: a rate over the rest would be another rate. */
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError } from '../errors.ts';
import type { DoneTrial } from './trial/run-trial.ts';

export type Patience = {
  /** Rounds in a row that score nothing more, before it is given up. */
  tries: number;
  /** The pause before the second round; it doubles while rounds bring nothing. */
  minDelayMs: number;
  maxDelayMs: number;
  /** Before each pause, for people. */
  onWait: (notice: { attempt: number; delayMs: number; reason: string }) => void;
};

type Playing<Trial> = {
  play: (trials: readonly Trial[]) => Promise<DoneTrial[]>;
  /** Absent: nothing is played again, and what is unscored stays so. */
  patience: Patience | undefined;
  signal: AbortSignal;
};

/** Contract: the results of all trials, in their order; with patience `model_unavailable` when some cannot be scored. */
export async function playUntilScored<Trial>(
  trials: readonly Trial[],
  { play, patience, signal }: Playing<Trial>,
): Promise<DoneTrial[]> {
  const done = await play(trials);
  if (patience === undefined) return done;
  let left = unscored(done);
  for (let vain = 1; left.length > 0;) {
    const reason = reasonOf(done, left);
    if (vain >= patience.tries) throw notScored(reason, left.length, trials.length);
    const delayMs = Math.min(patience.maxDelayMs, patience.minDelayMs * 2 ** (vain - 1));
    patience.onWait({ attempt: vain, delayMs, reason });
    await delay(delayMs, undefined, { signal });
    const again = await play(left.flatMap((place) => trials[place] ?? []));
    for (const [index, place] of left.entries()) done.splice(place, 1, ...again.slice(index, index + 1));
    const still = unscored(done);
    vain = still.length < left.length ? 1 : vain + 1;
    left = still;
  }
  return done;
}

function unscored(done: readonly DoneTrial[]): number[] {
  return done.flatMap(({ result }, place) => (result.outcome === 'unscored' ? [place] : []));
}

function reasonOf(done: readonly DoneTrial[], [first = 0]: readonly number[]): string {
  return done[first]?.detail ?? 'the subject could not be reached';
}

/** Not retryable: all patience is used up, and the run is paused. */
function notScored(reason: string, left: number, all: number): HarnessError {
  const message = `${left} of ${all} trials could not be scored, so the iteration is not judged: ${reason}`;
  return new HarnessError('model_unavailable', message, { details: { means: 'wait', left, all } });
}
