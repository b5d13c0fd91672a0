/** Tells trials that their user lost from those that the infrastructure or a limit lost. */
import type { TrialResult } from './result.ts';
import type { StopCause } from './trace.ts';

/** An unscored trial whose sample gave its user no move: only another sample scores it, waiting does not. */
export function isLostByUser({ outcome, stop }: Pick<TrialResult, 'outcome' | 'stop'>): boolean {
  return outcome === 'unscored' && stop === ('no_move' satisfies StopCause);
}

/** Names in a few words why a trial has no verdict; undefined for a trial that has one. */
export function nameLoss(trial: Pick<TrialResult, 'outcome' | 'stop'>): string | undefined {
  if (trial.outcome !== 'unscored') return undefined;
  if (isLostByUser(trial)) return 'its user had no move';
  return trial.stop === 'infrastructure' ? 'the infrastructure failed' : 'a limit was passed';
}

/** Names each cause once for which trials have no verdict. */
export function nameLosses({ trials }: { trials: readonly Pick<TrialResult, 'outcome' | 'stop'>[] }): string {
  const causes = new Set(trials.flatMap((trial) => nameLoss(trial) ?? []));
  return trials.length === 0 ? 'no trial was made' : [...causes].join(', and for another trial ');
}
