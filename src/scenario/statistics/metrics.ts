/** Summarises the numbers of checkers and graders with intervals, and compares those of two results. */
import type { MetricMeans, MetricReport } from '../metric.ts';
import type { SampleResult } from '../result.ts';
import { studentQuantile } from './cluster-interval.ts';
import { scoredTrials, sumValues } from './score.ts';

export type ComparedMetric = {
  checker: string;
  name: string;
  before: number;
  now: number;
  /** `now` minus `before`; in a comparison by sample, over the samples that both have. */
  difference: number;
  interval?: [number, number];
  /** The direction that the interval shows; whether higher is better only people know. */
  label: 'higher' | 'lower' | 'same' | 'not enough data';
};

type GivenNumber = { key: string; checker: string; name: string; sample: string; value: number };
type Spread = { mean: number; variance: number; count: number };

/** The fewest samples whose scatter can be estimated. */
const LEAST_SAMPLES = 3;

/** Reports each number by checker and name; trials that were not scored are left out. */
export function metricReports(samples: readonly SampleResult[]): MetricReport[] {
  return [...Map.groupBy(listGivenNumbers(samples), ({ key }) => key).values()].flatMap((given) => {
    const [first] = given;
    if (first === undefined) return [];
    const values = given.map(({ value }) => value);
    const spread = computeSpread(Object.values(averageBySample(given)));
    const interval = studentInterval(spread.mean, spread.variance / spread.count, spread.count - 1);
    return [
      {
        ...{ checker: first.checker, name: first.name, mean: spread.mean },
        ...(spread.count < LEAST_SAMPLES || !interval.every(Number.isFinite) ? {} : { interval }),
        ...{ min: Math.min(...values), max: Math.max(...values), samples: spread.count, trials: values.length },
      },
    ];
  });
}

export function metricMeans(samples: readonly SampleResult[]): MetricMeans {
  const groups = Map.groupBy(listGivenNumbers(samples), ({ key }) => key);
  return Object.fromEntries([...groups].map(([key, given]) => [key, averageBySample(given)]));
}

/** Compares by sample (paired) or the two means by Welch's test; numbers that only one side has are left out. */
export function compareMetrics(before: MetricMeans, now: MetricMeans, by: 'sample' | 'rate'): ComparedMetric[] {
  return Object.entries(now).flatMap(([key, is]) => {
    const was = before[key];
    if (was === undefined) return [];
    const dot = key.indexOf('.');
    const about = { checker: key.slice(0, dot), name: key.slice(dot + 1) };
    const found = by === 'sample' ? comparePaired(was, is) : compareByWelch(Object.values(was), Object.values(is));
    return found === undefined ? [] : [{ ...about, ...found }];
  });
}

function comparePaired(was: Readonly<Record<string, number>>, is: Readonly<Record<string, number>>) {
  const both = Object.entries(is).flatMap(([sample, value]) => {
    const earlier = was[sample];
    return earlier === undefined ? [] : [{ before: earlier, now: value }];
  });
  if (both.length === 0) return undefined;
  const { mean, variance, count } = computeSpread(both.map((pair) => pair.now - pair.before));
  const side = (of: 'before' | 'now'): number => computeSpread(both.map((pair) => pair[of])).mean;
  const interval = count < LEAST_SAMPLES ? undefined : studentInterval(mean, variance / count, count - 1);
  return labelDifference({ before: side('before'), now: side('now'), difference: mean }, interval);
}

function compareByWelch(was: readonly number[], is: readonly number[]) {
  if (was.length === 0 || is.length === 0) return undefined;
  const [one, two] = [computeSpread(was), computeSpread(is)];
  const [left, right] = [one.variance / one.count, two.variance / two.count];
  const freedom = (left + right) ** 2 / (left ** 2 / (one.count - 1) + right ** 2 / (two.count - 1));
  const difference = two.mean - one.mean;
  const isFew = Math.min(one.count, two.count) < LEAST_SAMPLES;
  const interval = isFew ? undefined : studentInterval(difference, left + right, Number.isNaN(freedom) ? 2 : freedom);
  return labelDifference({ before: one.mean, now: two.mean, difference }, interval);
}

function labelDifference(
  found: Pick<ComparedMetric, 'before' | 'now' | 'difference'>,
  interval: [number, number] | undefined,
): Omit<ComparedMetric, 'checker' | 'name'> {
  if (interval === undefined) return { ...found, label: 'not enough data' };
  const label = interval[0] > 0 ? 'higher' : interval[1] < 0 ? 'lower' : 'same';
  return { ...found, interval, label };
}

function studentInterval(mean: number, variance: number, freedom: number): [number, number] {
  const reach = studentQuantile(freedom) * Math.sqrt(variance);
  return [mean - reach, mean + reach];
}

function computeSpread(values: readonly number[]): Spread {
  const mean = computeMean(values);
  const variance = values.length < 2 ? 0 : sumValues(values.map((value) => (value - mean) ** 2)) / (values.length - 1);
  return { mean, variance, count: values.length };
}

function averageBySample(given: readonly GivenNumber[]): Record<string, number> {
  const groups = Map.groupBy(given, ({ sample }) => sample);
  return Object.fromEntries([...groups].map(([id, own]) => [id, computeMean(own.map(({ value }) => value))]));
}

/** Lists the given numbers in the order of their keys. */
function listGivenNumbers(samples: readonly SampleResult[]): GivenNumber[] {
  return samples
    .flatMap((sample) =>
      scoredTrials(sample).flatMap(({ verdicts }) =>
        verdicts.flatMap(({ checker, score, metrics = {} }) =>
          Object.entries({ ...(score === undefined ? {} : { score }), ...metrics }).map(([name, value]) => ({
            ...{ key: `${checker}.${name}`, checker, name, sample: sample.id, value },
          })),
        ),
      ),
    )
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Returns a finite mean for all finite numbers, because JSON has no infinity and the file could not be read again. */
function computeMean(values: readonly number[]): number {
  const total = sumValues(values);
  return Number.isFinite(total) ? total / values.length : sumValues(values.map((value) => value / values.length));
}
