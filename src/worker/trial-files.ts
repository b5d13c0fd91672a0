/** Files in the memory of an attempt with shared trials: trial records next to the paid calls, and returned trials. */
import type { Attempt } from '../ports/artifacts.ts';

/** The same name as in `run-trial.ts`. */
const RECORDS = 'trials';
const HANDED_BACK = 'handed-back';

type AttemptMemory = Pick<Attempt, 'remembered' | 'rememberFirst' | 'forget'>;

/** Returns the ended trials and how each ended. Contract: `attempt_lost` after a takeover. */
export async function readEndedTrials(attempt: AttemptMemory): Promise<Map<string, 'played' | 'handed-back'>> {
  const [played, back] = [await attempt.remembered(RECORDS), await attempt.remembered(HANDED_BACK)];
  return new Map([
    ...back.map((name) => [name, 'handed-back'] as const),
    ...played.map((name) => [name, 'played'] as const),
  ]);
}

/** A later record of the same trial is dropped. Contract: `attempt_lost` after a takeover. */
export async function commitTrial(attempt: AttemptMemory, name: string, record: unknown): Promise<void> {
  await attempt.rememberFirst(`${RECORDS}/${name}`, record);
}

/** Returns a trial to the worker that holds the evaluation, which plays it itself and meets the same obstacle there. */
export async function returnTrial(attempt: AttemptMemory, name: string, why: string): Promise<void> {
  await attempt.rememberFirst(`${HANDED_BACK}/${name}`, { version: 1, why });
}

/** Clears trials that were returned to an earlier holder, so that they are shared again. */
export async function forgetReturnedTrial(attempt: AttemptMemory): Promise<void> {
  await attempt.forget(HANDED_BACK);
}
