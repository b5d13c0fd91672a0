/** The verdict on an evaluation, which commands, runs, baselines and reports share, and the rates that it rests on. */
import { reachesTarget } from '../percent.ts';
import { isLostByUser } from '../lost-by-user.ts';
import type { Dispute, Results, SampleResult, TrialResult } from '../result.ts';
import { wilsonInterval } from './score.ts';

/**
 * `incomplete`: a trial has no verdict yet, so the rate is one of the others alone and says nothing about the target.
 * `disputed`: the target is met only if a doubtful verdict is settled in the subject's favour.
 */
export type ResultsVerdict = 'met' | 'not met' | 'disputed' | 'incomplete';

type Goal = { target: number; gate?: 'rate' | 'lower-bound' | undefined };

type ResultsToJudge = Pick<Results, 'successRate' | 'interval' | 'samples'> &
  Partial<Goal> &
  Partial<Pick<Results, 'unproven'>>;

/**
 * Without a goal of its own, the results are held to the target that they were made for. A rule without a proof keeps
 * every target from being met, unless scenario.yaml allows it.
 */
export function judgeResults(results: ResultsToJudge, goal?: Goal): ResultsVerdict {
  const verdict = judgeRate(results, goal);
  return verdict === 'met' && listOpenRules(results).length > 0 ? 'not met' : verdict;
}

/** Lists the rules without a proof that nobody allowed. */
export function listOpenRules({ unproven = [] }: Pick<ResultsToJudge, 'unproven'>): string[] {
  return unproven.flatMap(({ rule, allowed }) => (allowed === undefined ? [rule] : []));
}

/** Says why a target is missed that the rate alone reaches, such as `R7 is not proven`. */
export function explainUnmet(results: ResultsToJudge, goal?: Goal): string | undefined {
  const rules = listOpenRules(results);
  return rules.length > 0 && judgeRate(results, goal) === 'met' ? formatNotProven(rules) : undefined;
}

export function formatNotProven(rules: readonly string[]): string {
  return `${rules.join(', ')} ${rules.length === 1 ? 'is' : 'are'} not proven`;
}

function judgeRate(
  results: ResultsToJudge,
  goal: Goal = { target: results.target ?? 1, gate: results.gate },
): ResultsVerdict {
  const { target, gate = 'rate' } = goal;
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

function isTrialDisputed({ disputed = [] }: TrialResult): boolean {
  return disputed.length > 0;
}

/** Returns `16`, or `16 to 17` where doubtful verdicts leave it open. */
export function describePassed(samples: readonly SampleResult[]): string {
  const { low, high } = countPassedRange(samples);
  return low === high ? `${low}` : `${low} to ${high}`;
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

/** Counts trials that wait for the infrastructure. */
export function countOutages(samples: readonly SampleResult[]): number {
  return countUnscored(samples) - countLostByUser(samples);
}

function countLostByUser(samples: readonly SampleResult[]): number {
  return samples.flatMap(({ trials }) => trials.filter(isLostByUser)).length;
}

/** Summarises what the rate alone does not say: doubtful or missing verdicts, and rules without a proof. */
export function summariseDoubt(
  results: Parameters<typeof judgeResults>[0],
  goal?: Goal,
): { verdict?: 'disputed' | 'incomplete'; passedRange?: { low: number; high: number }; unproven?: string[] } {
  const verdict = judgeResults(results, goal);
  const unproven = listOpenRules(results);
  const { low, high } = countPassedRange(results.samples);
  return {
    ...(verdict === 'disputed' || verdict === 'incomplete' ? { verdict } : {}),
    ...(low === high ? {} : { passedRange: { low, high } }),
    ...(unproven.length === 0 ? {} : { unproven }),
  };
}

export type NamedDispute = Dispute & {
  /** `<sample>.<trial>`, as a label names it. */
  name: string;
  sample: string;
  trial: number;
  trace: string;
};

/** Lists the doubts about verdicts, by sample and trial. */
export function listDisputes(samples: readonly SampleResult[]): NamedDispute[] {
  return samples.flatMap(({ id, trials }) =>
    trials.flatMap(({ trial, trace, disputed = [] }) =>
      disputed.map((one) => ({ ...one, name: `${id}.${trial}`, sample: id, trial, trace })),
    ),
  );
}

/** Counts trials without a verdict; a sample without any trial counts as one. */
export function countUnscored(samples: readonly SampleResult[]): number {
  return samples.reduce(
    (sum, { trials }) =>
      sum + (trials.length === 0 ? 1 : trials.filter(({ outcome }) => outcome === 'unscored').length),
    0,
  );
}
