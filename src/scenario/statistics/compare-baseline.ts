/** Compares results with a blessed baseline by sample: what got worse, and whether the trials suffice to say so. */
import { z } from 'zod';
import { MetricMeans } from '../metric.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { reachesTarget } from '../percent.ts';
import { compareMetrics, metricMeans, type ComparedMetric } from './metrics.ts';
import { countOutages } from './judge-results.ts';
import { computePairedP, computeRateP, computeSingleLimit, computeSmallestP, detectableDrop } from './paired-test.ts';
import type { TallyPair } from './paired-test.ts';
import { ALPHA, labelWholeSet } from './label-whole-set.ts';
import type { Tally } from './pass-k.ts';
import { tallyTrials, wilsonInterval } from './score.ts';
import { UserVersion } from '../grader.ts';
import type { Results } from '../result.ts';

const Tallies = z.record(z.string(), z.strictObject({ passed: z.int().nonnegative(), total: z.int().positive() }));

/** The file that `tandem bless` writes when a person accepts results as the baseline. */
export const Baseline = z.strictObject({
  version: z.literal(1),
  run: z.string(),
  iteration: z.int().positive(),
  designDigest: z.string(),
  componentsDigest: z.string(),
  /** Who the subject was, and the versions of its users and of what read its statements; missing in older files, and where unknown. */
  subjectDigest: z.string().optional(),
  user: UserVersion.optional(),
  statements: z.string().optional(),
  blessedBy: z.string(),
  blessedAt: z.string(),
  comment: z.string().optional(),
  samples: Tallies,
  /** The last results of a branch, oldest first, and the samples that decide nothing until they are reliable again. */
  rolling: z
    .strictObject({
      history: z.array(z.strictObject({ run: z.string(), at: z.string(), samples: Tallies })).min(1),
      quarantine: z.record(z.string(), z.strictObject({ owner: z.string(), since: z.string(), why: z.string() })),
    })
    .optional(),
  /** The numbers of its checkers and graders; missing where there are none. */
  metrics: MetricMeans.optional(),
});
export type Baseline = z.infer<typeof Baseline>;

export type ComparedLabel =
  | 'regression' // worse, and chance alone hardly explains it
  | 'soft' // worse, but chance could explain it
  | 'flaky' // always passed before, now only sometimes
  | 'unreliable baseline' // worse than a baseline that itself failed too often
  | 'not enough data' // worse, and with so few trials no change of this sample could ever be shown
  | 'quarantined' // unreliable over the last results, so that it decides nothing
  | 'incomplete' // a trial has no verdict yet
  | 'same'
  | 'better' // passes more often; `p` says whether chance could explain it
  | 'new' // not in the baseline
  | 'gone'; // in the baseline only

export type ComparedSample = { id: string; label: ComparedLabel; before?: Tally; now?: Tally; p?: number };

export type BaselineComparison = {
  /** The label of the whole set. */
  label: Extract<ComparedLabel, 'regression' | 'soft' | 'not enough data' | 'incomplete' | 'same' | 'better'>;
  /** The probability of so few passed trials now if the subject has not changed. */
  p: number;
  /** The probability of so many passed trials now if the subject has not changed. */
  pBetter: number;
  /** Set when the target was met and is now out of reach, which is a regression. */
  lostTarget?: number;
  /** Samples that passed all their trials; with different numbers of trials only `rates` can be compared. */
  before: Tally;
  now: Tally;
  /** The mean share of passed trials per sample. */
  rates: { before: number; now: number };
  /** The smallest drop of that share found in four of five comparisons; missing when not even a drop to 0 would be. */
  detects?: number;
  /** `rate` when tools, checkers, samples or the design differ, so that samples cannot be compared one by one. */
  by: 'sample' | 'rate';
  /** The reason why `by` is `rate`. */
  because?: string;
  samples: ComparedSample[];
  /** Numbers that both sides have; none of them affects `label`. */
  metrics?: ComparedMetric[];
};

/** The level for all single samples together; bench/statistics counts the false alarms of all tests together. */
const ALPHA_OF_SINGLES = 0.03;
/** A lost target needs less evidence than a regression without one: both sides of the target speak too. */
const ALPHA_OF_TARGET = 0.1;
/** The same where no trial passes any more: three samples that all passed and all fail are enough. */
const ALPHA_OF_DEATH = 0.125;
/** The same where every trial passed and none does: two are enough, and one is not (docs/internals/statistics.md). */
const ALPHA_OF_WHOLE_DEATH = 0.25;
/** A baseline with a smaller share of passed trials is unreliable, so that a failing trial now says little. */
const RELIABLE = 0.8;

type JudgedResults = Pick<Results, 'designDigest' | 'componentsDigest' | 'samples'> &
  Partial<Pick<Results, 'target' | 'subjectDigest' | 'user' | 'statements'>>;

/**
 * Compares by sample under equal design and components, and otherwise only the two rates. With several comparisons with
 * one baseline the levels are shared among them, so that all together raise no more false alarms than one.
 */
export function compareWithBaseline(
  baseline: Pick<Baseline, 'designDigest' | 'componentsDigest' | 'samples' | 'metrics'>,
  results: JudgedResults,
  comparisons = 1,
): BaselineComparison {
  const because = describeMismatch(baseline, results);
  const found =
    because === undefined
      ? compareSamples(baseline.samples, results, comparisons)
      : {
          ...compareRates(Object.values(baseline.samples), Object.values(baselineTallies(results)), comparisons),
          because,
        };
  if (countOutages(results.samples) > 0) {
    // The rates are those of everything that has a verdict, because the pairs may be few or none.
    const sides = summariseSides(Object.values(baseline.samples), Object.values(baselineTallies(results)));
    return { ...found, label: 'incomplete', ...sides };
  }
  const metrics = compareMetrics(baseline.metrics ?? {}, metricMeans(results.samples), found.by);
  return metrics.length === 0 ? found : { ...found, metrics };
}

function describeMismatch(
  baseline: Omit<JudgedResults, 'samples'>,
  results: Omit<JudgedResults, 'samples'>,
): string | undefined {
  for (const [key, what] of [
    ['designDigest', 'the designs differ'],
    ['componentsDigest', 'tools, checkers or samples differ'],
  ] as const)
    if (baseline[key] !== results[key]) return what;
  return undefined;
}

function compareSamples(
  before: Baseline['samples'],
  { samples, target }: JudgedResults,
  comparisons: number,
): BaselineComparison {
  const now = new Map(samples.map((sample) => [sample.id, tallyTrials(sample)]));
  const ids = [...new Set([...Object.keys(before), ...now.keys()])].toSorted();
  const pairs = ids.flatMap((id): TallyPair[] => {
    const [was, is] = [before[id], now.get(id)];
    return was !== undefined && is !== undefined && is.total > 0 ? [{ before: was, now: is }] : [];
  });
  const limit = computeSingleLimit(pairs, ALPHA_OF_SINGLES / comparisons);
  const compared = ids.map((id) => compareOne(id, { before: before[id], now: now.get(id), limit }));
  const p = computePairedP(pairs);
  const sides = summariseSides(
    pairs.map((pair) => pair.before),
    pairs.map((pair) => pair.now),
  );
  const pBetter = computePairedP(pairs.map((pair) => ({ before: pair.now, now: pair.before })));
  const label = labelWholeSet({ p, pBetter, rates: sides.rates, clearest: computeSmallestP(pairs), comparisons });
  const lostTarget =
    target !== undefined && losesTarget(pairs, { target, p, comparisons, ...sides }) ? target : undefined;
  const isRegression = lostTarget !== undefined || compared.some((sample) => sample.label === 'regression');
  return {
    ...{ label: isRegression ? 'regression' : label, p, pBetter, ...sides, by: 'sample', samples: compared },
    ...omitUndefined({ lostTarget, detects: detectableDrop(pairs, ALPHA / comparisons) }),
  };
}

type TargetTest = Pick<BaselineComparison, 'before' | 'now' | 'p'> & { target: number; comparisons: number };

/**
 * True when the rate was at the target and is below it by more than chance. With more trials than before a sample is
 * more likely to fail in one of them, so nothing is said then.
 */
function losesTarget(pairs: readonly TallyPair[], { target, before, now, p, comparisons }: TargetTest): boolean {
  const isDead = pairs.every((pair) => pair.now.passed === 0);
  const isWhole = pairs.every((pair) => pair.before.passed === pair.before.total);
  const limit = !isDead ? ALPHA_OF_TARGET : isWhole ? ALPHA_OF_WHOLE_DEATH : ALPHA_OF_DEATH;
  if (p > limit / comparisons || pairs.some((pair) => pair.now.total > pair.before.total)) return false;
  return (
    reachesTarget(before.passed / before.total, target) &&
    ((isDead && isWhole) || !reachesTarget(wilsonInterval(now.passed, now.total)[1], target))
  );
}

function compareRates(before: readonly Tally[], now: readonly Tally[], comparisons: number): BaselineComparison {
  const p = computeRateP(before, now);
  const sides = summariseSides(before, now);
  const pBetter = computeRateP(now, before);
  const label = labelWholeSet({
    ...{ p, rates: sides.rates, comparisons, pBetter },
    clearest: computeRateP(
      before,
      now.map(({ total }) => ({ passed: 0, total })),
    ),
  });
  return { label, p, pBetter, ...sides, by: 'rate', samples: [] };
}

function summariseSides(before: readonly Tally[], now: readonly Tally[]) {
  const passing = (side: readonly Tally[]): Tally => ({
    passed: side.filter(({ passed, total }) => passed === total).length,
    total: side.length,
  });
  const rate = (side: readonly Tally[]): number =>
    side.length === 0 ? 0 : side.reduce((sum, { passed, total }) => sum + passed / total, 0) / side.length;
  return { before: passing(before), now: passing(now), rates: { before: rate(before), now: rate(now) } };
}

/** Extracts the part of the results that a baseline stores. */
export function toBaseline(
  results: JudgedResults,
): Omit<Baseline, 'version' | 'run' | 'iteration' | 'blessedBy' | 'blessedAt'> {
  const { designDigest, componentsDigest, samples, subjectDigest, user, statements } = results;
  const judges = omitUndefined({ subjectDigest, user, statements });
  const metrics = metricMeans(samples);
  const numbers = Object.keys(metrics).length === 0 ? {} : { metrics };
  return { designDigest, componentsDigest, samples: baselineTallies(results), ...judges, ...numbers };
}

/** Returns the tallies of a baseline; samples without a judged trial are left out. */
export function baselineTallies({ samples }: Pick<Results, 'samples'>): Baseline['samples'] {
  const tallies = samples.map((sample) => [sample.id, tallyTrials(sample)] as const);
  return Object.fromEntries(tallies.filter(([, { total }]) => total > 0));
}

type SampleSides = { before: Tally | undefined; now: Tally | undefined; limit: number };

function compareOne(id: string, { before, now, limit }: SampleSides): ComparedSample {
  if (before === undefined) return { id, label: 'new', ...omitUndefined({ now }) };
  if (now === undefined || now.total === 0)
    return { id, label: now === undefined ? 'gone' : 'not enough data', before };
  return { id, ...labelChange(before, now, limit), before, now };
}

/** A p up to `limit` shows a regression of this sample, and with it one of the whole set. */
function labelChange(before: Tally, now: Tally, limit: number): { label: ComparedLabel; p?: number } {
  const [was, is] = [before.passed / before.total, now.passed / now.total];
  if (is === was) return { label: 'same' };
  if (is > was) return { label: 'better', p: computePairedP([{ before: now, now: before }]) };
  const p = computePairedP([{ before, now }]);
  const clearest = computeSmallestP([{ before, now }]);
  if (clearest > ALPHA) return { label: 'not enough data', p };
  if (was < RELIABLE) return { label: 'unreliable baseline', p };
  if (p <= limit) return { label: 'regression', p };
  return { label: was === 1 && is > 0 ? 'flaky' : 'soft', p };
}
