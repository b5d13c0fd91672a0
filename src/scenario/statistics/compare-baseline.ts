/** Compares a result with a blessed one, sample by sample: what got worse, and whether the trials suffice to say so. */
import { z } from 'zod';
import { MetricMeans } from '../metric.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { RATE_EPSILON } from '../percent.ts';
import { compareMetrics, metricMeans, type ComparedMetric } from './metrics.ts';
import { clearestWorse, detectableDrop, passesWorse, rateWorse } from './paired-test.ts';
import type { Tally } from './pass-k.ts';
import { tallyOf } from './score.ts';
import type { Results, SampleResult } from '../result.ts';

/** What `tandem bless` writes: a person accepted these numbers as the baseline. */
export const Baseline = z.strictObject({
  version: z.literal(1),
  run: z.string(),
  iteration: z.int().positive(),
  designDigest: z.string(),
  componentsDigest: z.string(),
  blessedBy: z.string(),
  blessedAt: z.string(),
  comment: z.string().optional(),
  samples: z.record(z.string(), z.strictObject({ passed: z.int().nonnegative(), total: z.int().positive() })),
  /** The numbers of its checkers and graders; missing where there is none. */
  metrics: MetricMeans.optional(),
});
export type Baseline = z.infer<typeof Baseline>;

export type ComparedLabel =
  | 'regression' // worse, and chance alone hardly explains it
  | 'soft' // worse, but chance could explain it
  | 'flaky' // always passed before, now only sometimes
  | 'unreliable baseline' // worse than a baseline that itself failed too often
  | 'not enough data' // worse, and with so few trials no change of this sample could ever be shown
  | 'same'
  | 'better'
  | 'new' // not in the baseline
  | 'gone'; // in the baseline only

export type ComparedSample = { id: string; label: ComparedLabel; before?: Tally; now?: Tally; p?: number };

export type BaselineComparison = {
  /** Of the whole set. */
  label: Extract<ComparedLabel, 'regression' | 'soft' | 'not enough data' | 'same' | 'better'>;
  /** The chance of so few passed trials now, if the subject is as it was. */
  p: number;
  /** Samples that pass all their trials. With other numbers of trials these are no rates to compare: `rates` are. */
  before: Tally;
  now: Tally;
  /** Mean share of passed trials a sample. */
  rates: { before: number; now: number };
  /** The smallest drop of that share that would be found in four of five comparisons; missing when not even a drop to 0 is. */
  detects?: number;
  /** `rate`: tools, checkers, samples or the design are others, so that no sample is compared with its namesake. */
  by: 'sample' | 'rate';
  /** Why `by` is `rate`. */
  because?: string;
  samples: ComparedSample[];
  /** Numbers that both have; none of them is in `label`. */
  metrics?: ComparedMetric[];
};

const ALPHA = 0.05;
/** What is left for single samples, so that both ways of finding a regression together are wrong in at most six of a hundred. */
const ALPHA_OF_SINGLES = 0.01;
/** A p that is one of few possible values may be the limit itself, give or take a rounding error. */
const BELOW = 1 - 1e-9;
/** A baseline that passed a smaller share of its own trials says little when a trial fails now. */
const RELIABLE = 0.8;

type Judged = Pick<Results, 'designDigest' | 'componentsDigest' | 'samples'>;

/** Sample by sample under the same design and components; else only the two rates are held against each other. */
export function compareWithBaseline(
  baseline: Pick<Baseline, 'designDigest' | 'componentsDigest' | 'samples' | 'metrics'>,
  results: Judged,
): BaselineComparison {
  const because = differenceOf(baseline, results);
  const found =
    because === undefined
      ? bySample(baseline.samples, results.samples)
      : { ...byRate(Object.values(baseline.samples), Object.values(baselineTallies(results))), because };
  const metrics = compareMetrics(baseline.metrics ?? {}, metricMeans(results.samples), found.by);
  return metrics.length === 0 ? found : { ...found, metrics };
}

function differenceOf(baseline: Omit<Judged, 'samples'>, results: Omit<Judged, 'samples'>): string | undefined {
  for (const [key, what] of [
    ['designDigest', 'the designs differ'],
    ['componentsDigest', 'tools, checkers or samples differ'],
  ] as const)
    if (baseline[key] !== results[key])
      return `${what}: ${baseline[key].slice(0, 12)} then, ${results[key].slice(0, 12)} now`;
  return undefined;
}

function bySample(before: Baseline['samples'], samples: readonly SampleResult[]): BaselineComparison {
  const now = new Map(samples.map((sample) => [sample.id, tallyOf(sample)]));
  const ids = [...new Set([...Object.keys(before), ...now.keys()])].toSorted();
  const compared = ids.map((id) => compareOne(id, before[id], now.get(id)));
  const pairs = compared.flatMap((one) =>
    one.before !== undefined && one.now !== undefined && one.now.total > 0
      ? [{ before: one.before, now: one.now }]
      : [],
  );
  const p = passesWorse(pairs);
  const sides = sidesOf(
    pairs.map((pair) => pair.before),
    pairs.map((pair) => pair.now),
  );
  const label = labelOfWhole({
    ...{ p, rates: sides.rates, clearest: clearestWorse(pairs) },
    pBetter: passesWorse(pairs.map((pair) => ({ before: pair.now, now: pair.before }))),
  });
  // One sample that surely got worse is a regression, whatever the others do; of a hundred, five look so by chance alone.
  const limit = ALPHA_OF_SINGLES / Math.max(1, pairs.length);
  const surely = compared.some((sample) => sample.label === 'regression' && (sample.p ?? 1) <= limit);
  return {
    ...{ label: surely ? 'regression' : label, p, ...sides, by: 'sample', samples: compared },
    ...omitUndefined({ detects: detectableDrop(pairs, ALPHA) }),
  };
}

function byRate(before: readonly Tally[], now: readonly Tally[]): BaselineComparison {
  const p = rateWorse(before, now);
  const sides = sidesOf(before, now);
  const nothing = now.map(({ total }) => ({ passed: 0, total }));
  const label = labelOfWhole({
    ...{ p, rates: sides.rates, clearest: rateWorse(before, nothing), pBetter: rateWorse(now, before) },
  });
  return { label, p, ...sides, by: 'rate', samples: [] };
}

function sidesOf(before: readonly Tally[], now: readonly Tally[]) {
  const passing = (side: readonly Tally[]): Tally => ({
    passed: side.filter(({ passed, total }) => passed === total).length,
    total: side.length,
  });
  const rate = (side: readonly Tally[]): number =>
    side.length === 0 ? 0 : side.reduce((sum, { passed, total }) => sum + passed / total, 0) / side.length;
  return { before: passing(before), now: passing(now), rates: { before: rate(before), now: rate(now) } };
}

type Found = { p: number; pBetter: number; clearest: number; rates: BaselineComparison['rates'] };

function labelOfWhole({ p, pBetter, clearest, rates }: Found): BaselineComparison['label'] {
  // Sums of the same shares in another order differ in their last digit.
  const isWorse = rates.now < rates.before - RATE_EPSILON;
  if (isWorse && p < ALPHA * BELOW) return 'regression';
  if (clearest > ALPHA && (isWorse || clearest === 1)) return 'not enough data';
  if (isWorse) return 'soft';
  return pBetter < ALPHA * BELOW ? 'better' : 'same';
}

/** What a baseline holds of results. */
export function baselineOf(
  results: Judged,
): Pick<Baseline, 'designDigest' | 'componentsDigest' | 'samples' | 'metrics'> {
  const { designDigest, componentsDigest, samples } = results;
  const metrics = metricMeans(samples);
  return {
    ...{ designDigest, componentsDigest, samples: baselineTallies(results) },
    ...(Object.keys(metrics).length === 0 ? {} : { metrics }),
  };
}

/** The tallies of a baseline; samples without a judged trial are left out. */
export function baselineTallies({ samples }: Pick<Results, 'samples'>): Baseline['samples'] {
  const tallies = samples.map((sample) => [sample.id, tallyOf(sample)] as const);
  return Object.fromEntries(tallies.filter(([, { total }]) => total > 0));
}

function compareOne(id: string, before: Tally | undefined, now: Tally | undefined): ComparedSample {
  if (before === undefined) return { id, label: 'new', ...omitUndefined({ now }) };
  if (now === undefined || now.total === 0)
    return { id, label: now === undefined ? 'gone' : 'not enough data', before };
  return { id, ...labelOf(before, now), before, now };
}

function labelOf(before: Tally, now: Tally): { label: ComparedLabel; p?: number } {
  const [was, is] = [before.passed / before.total, now.passed / now.total];
  if (is === was) return { label: 'same' };
  if (is > was) {
    const p = passesWorse([{ before: now, now: before }]);
    return { label: p <= ALPHA ? 'better' : 'same', p };
  }
  const p = passesWorse([{ before, now }]);
  const clearest = clearestWorse([{ before, now }]);
  if (clearest > ALPHA) return { label: 'not enough data', p };
  if (was < RELIABLE) return { label: 'unreliable baseline', p };
  if (p <= ALPHA) return { label: 'regression', p };
  return { label: was === 1 ? 'flaky' : 'soft', p };
}
