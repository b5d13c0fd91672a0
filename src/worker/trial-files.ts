/** What workers that share the trials of an attempt leave in its memory: records next to the paid calls, and trials handed back. */
import type { Attempt } from '../ports/artifacts.ts';

/** As `run-trial.ts` names them. */
const RECORDS = 'trials';
const HANDED_BACK = 'handed-back';

type Memory = Pick<Attempt, 'remembered' | 'rememberFirst' | 'forget'>;

/** Trials that have ended, by how they ended. Contract: `attempt_lost` after a takeover. */
export async function closedTrials(attempt: Memory): Promise<Map<string, 'played' | 'handed-back'>> {
  const [played, back] = [await attempt.remembered(RECORDS), await attempt.remembered(HANDED_BACK)];
  return new Map([
    ...back.map((name) => [name, 'handed-back'] as const),
    ...played.map((name) => [name, 'played'] as const),
  ]);
}

/** A later record of the same trial is dropped. Contract: `attempt_lost` after a takeover. */
export async function commitTrial(attempt: Memory, name: string, record: unknown): Promise<void> {
  await attempt.rememberFirst(`${RECORDS}/${name}`, record);
}

/** The worker that holds the evaluation plays the trial itself, and meets the same obstacle there. */
export async function returnTrial(attempt: Memory, name: string, why: string): Promise<void> {
  await attempt.rememberFirst(`${HANDED_BACK}/${name}`, { version: 1, why });
}

/** What was handed back to an earlier holder is shared out again. */
export async function forgetReturnedTrial(attempt: Memory): Promise<void> {
  await attempt.forget(HANDED_BACK);
}
