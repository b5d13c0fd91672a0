/** Tells trials that their user lost from those that the infrastructure lost. */
import type { TrialResult } from './result.ts';
import type { StopCause } from './trace.ts';

/** An unscored trial whose sample gave its user no move: only another sample scores it, waiting does not. */
export function isLostByUser({ outcome, stop }: Pick<TrialResult, 'outcome' | 'stop'>): boolean {
  return outcome === 'unscored' && stop === ('no_move' satisfies StopCause);
}
