/** The score of an iteration: success rate with its interval, and the same by category, rule and layer. */
import type { Cause, Outcome, Results, SampleResult, TrialResult } from '../result.ts';
import type { Tally } from './pass-k.ts';

type Score = Pick<Results, 'successRate' | 'passed' | 'total' | 'unscored' | 'interval' | 'passAll'> &
  Pick<Results, 'passAtOne' | 'flipRate' | 'layers' | 'byCategory' | 'byRule'>;

/** Passes a sample when all its trials pass; with an unscored trial only a failure is certain. */
export function toSampleOutcome(trials: readonly Outcome[]): Outcome {
  if (trials.includes('fail')) return 'fail';
  return trials.length === 0 || trials.includes('unscored') ? 'unscored' : 'pass';
}

/** Returns Wilson's interval of a rate, which is right for small counts too; `z` defaults to the 95 % quantile. */
export function wilsonInterval(passed: number, total: number, z = 1.959_963_984_540_054): [number, number] {
  if (total === 0) return [0, 1];
  const rate = passed / total;
  const scale = 1 + (z * z) / total;
  const centre = rate + (z * z) / (2 * total);
  const spread = z * Math.sqrt((rate * (1 - rate)) / total + (z * z) / (4 * total * total));
  const low = passed === 0 ? 0 : (centre - spread) / scale;
  const high = passed === total ? 1 : (centre + spread) / scale;
  return [low, high];
}

/** Scores samples; `unscored` ones count in no rate, and without a scored sample the rate is 0 with no information. */
export function scoreSamples(samples: readonly SampleResult[]): Score {
  const scored = samples.filter(({ outcome }) => outcome !== 'unscored');
  const passed = scored.filter(({ outcome }) => outcome === 'pass').length;
  const rate = divideOrZero(passed, scored.length);
  // A judged trial counts even if another trial of its sample is unscored.
  const tallies = samples.map(tallyTrials).filter((trials) => trials.total > 0);
  const several = tallies.filter((trials) => trials.total > 1);
  return {
    successRate: rate,
    passed,
    total: scored.length,
    unscored: samples.length - scored.length,
    interval: wilsonInterval(passed, scored.length),
    passAll: rate,
    passAtOne: computeMean(tallies.map((trials) => divideOrZero(trials.passed, trials.total))),
    flipRate: computeMean(several.map((trials) => (trials.passed > 0 && trials.passed < trials.total ? 1 : 0))),
    layers: countLayers(scored),
    byCategory: tallySamples(scored, ({ category }) => [category]),
    byRule: tallySamples(scored, ({ covers }) => [...new Set(covers)]),
  };
}

export function scoredTrials({ trials }: SampleResult): TrialResult[] {
  return trials.filter(({ outcome }) => outcome !== 'unscored');
}

export function tallyTrials(sample: SampleResult): Tally {
  const scored = scoredTrials(sample);
  return { passed: scored.filter(({ outcome }) => outcome === 'pass').length, total: scored.length };
}

/** Counts failed samples by layer; 4a and 4b are present only when every failure of layer 4 has its cause. */
export function countLayers(samples: readonly SampleResult[]): Results['layers'] {
  const failed = samples.filter(({ layer }) => layer !== undefined);
  const count = (wanted: number): number => failed.filter(({ layer }) => layer === wanted).length;
  const counts = { '1': count(1), '2': count(2), '3': count(3), '4': count(4) };
  const caused = (wanted: Cause): number => failed.filter(({ cause }) => cause === wanted).length;
  const isSplit = caused('4a') + caused('4b') === counts['4'];
  return isSplit ? { ...counts, '4a': caused('4a'), '4b': caused('4b') } : counts;
}

function tallySamples(samples: readonly SampleResult[], keysOf: (sample: SampleResult) => string[]): Results['byRule'] {
  const counts = new Map<string, Tally>();
  for (const sample of samples) {
    for (const key of keysOf(sample)) {
      const { passed, total } = counts.get(key) ?? { passed: 0, total: 0 };
      counts.set(key, { passed: passed + (sample.outcome === 'pass' ? 1 : 0), total: total + 1 });
    }
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })));
}

export function divideOrZero(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function computeMean(values: readonly number[]): number {
  return divideOrZero(sumValues(values), values.length);
}

export function sumValues(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
