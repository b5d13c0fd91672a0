/** The verdict on an evaluation, which commands, runs, baselines and reports share, and the rates that it rests on. */
import type { Brief } from '../brief.ts';
import { reachesTarget } from '../percent.ts';
import { isLostByUser } from '../lost-by-user.ts';
import type { Results, SampleResult } from '../result.ts';
import { wilsonInterval } from './score.ts';

/**
 * `incomplete`: a trial has no verdict yet, so the rate is one of the others alone and says nothing about the target.
 * `disputed`: the target is met only if a doubtful verdict is settled in the subject's favour.
 */
export type ResultsVerdict = 'met' | 'not met' | 'disputed' | 'incomplete';

export function judgeResults(
  results: Pick<Results, 'successRate' | 'interval' | 'samples'>,
  { gate, target }: Pick<Brief, 'gate' | 'target'>,
): ResultsVerdict {
  if (countOutages(results.samples) > 0) return 'incomplete';
  const { low, high, total } = countPassedRange(results.samples);
  const measure = (passed: number): number =>
    gate === 'rate' ? (total === 0 ? 0 : passed / total) : wilsonInterval(passed, total)[0];
  // A trial that its user lost may still go either way, so nothing is met while one is open.
  if (countLostByUser(results.samples) > 0) return reachesTarget(measure(high), target) ? 'disputed' : 'not met';
  if (low === high)
    return reachesTarget(gate === 'rate' ? results.successRate : results.interval[0], target) ? 'met' : 'not met';
  if (reachesTarget(measure(low), target)) return 'met';
  return reachesTarget(measure(high), target) ? 'disputed' : 'not met';
}

/** Checks whether the sample's outcome rests on a doubtful trial: it would be another if the doubts were right. */
export function isSampleDisputed({ outcome, trials }: SampleResult): boolean {
  if (outcome === 'pass') return trials.some(isTrialDisputed);
  const failed = trials.filter((trial) => trial.outcome === 'fail');
  return outcome === 'fail' && failed.every(isTrialDisputed);
}

function isTrialDisputed({ disputed = [] }: SampleResult['trials'][number]): boolean {
  return disputed.length > 0;
}

/** Counts the passed samples with every doubt settled against the subject (`low`), and for it (`high`). */
export function countPassedRange(samples: readonly SampleResult[]): { low: number; high: number; total: number } {
  const scored = samples.filter(({ outcome }) => outcome !== 'unscored');
  const doubtful = scored.filter(isSampleDisputed);
  const passed = scored.filter(({ outcome }) => outcome === 'pass').length;
  const doubtfulPasses = doubtful.filter(({ outcome }) => outcome === 'pass').length;
  return {
    low: passed - doubtfulPasses,
    high: passed + doubtful.length - doubtfulPasses,
    total: scored.length,
  };
}

/** Returns the rate with everything that is open against the subject; undefined where nothing is. */
export function findLeastRate({
  samples,
}: Pick<Results, 'samples'>): { successRate: number; lowerBound: number } | undefined {
  const lost = samples.filter(({ trials, outcome }) => outcome === 'unscored' && trials.some(isLostByUser)).length;
  const { low, high, total } = countPassedRange(samples);
  const all = total + lost;
  if (all === 0 || (low === high && lost === 0)) return undefined;
  return { successRate: low / all, lowerBound: wilsonInterval(low, all)[0] };
}

/** Counts trials that wait for the infrastructure. */
export function countOutages(samples: readonly SampleResult[]): number {
  return countUnscored(samples) - countLostByUser(samples);
}

function countLostByUser(samples: readonly SampleResult[]): number {
  return samples.flatMap(({ trials }) => trials.filter(isLostByUser)).length;
}

/** Counts trials without a verdict; a sample without any trial counts as one. */
export function countUnscored(samples: readonly SampleResult[]): number {
  return samples.reduce(
    (sum, { trials }) =>
      sum + (trials.length === 0 ? 1 : trials.filter(({ outcome }) => outcome === 'unscored').length),
    0,
  );
}
