/** The verdict on an evaluation: target met, not met, or incomplete; commands, baselines and reports share it. */
import type { Brief } from '../brief.ts';
import { reachesTarget } from '../percent.ts';
import type { Results, SampleResult } from '../result.ts';

/** `incomplete`: a trial has no verdict yet, so the rate is one of the others alone and says nothing about the target. */
export type ResultsVerdict = 'met' | 'not met' | 'incomplete';

export function judgeResults(
  { successRate, interval, samples }: Pick<Results, 'successRate' | 'interval' | 'samples'>,
  { gate, target }: Pick<Brief, 'gate' | 'target'>,
): ResultsVerdict {
  if (countUnscored(samples) > 0) return 'incomplete';
  return reachesTarget(gate === 'rate' ? successRate : interval[0], target) ? 'met' : 'not met';
}

/** Counts trials without a verdict; a sample without any trial counts as one. */
export function countUnscored(samples: readonly SampleResult[]): number {
  return samples.reduce(
    (sum, { trials }) =>
      sum + (trials.length === 0 ? 1 : trials.filter(({ outcome }) => outcome === 'unscored').length),
    0,
  );
}
