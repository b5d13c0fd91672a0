/** The score of an iteration: success rate with its interval, and the same by category, rule and layer. */
import type { Cause, Outcome, Results, SampleResult, TrialResult } from '../result.ts';
import type { Tally } from './pass-k.ts';

type Score = Pick<Results, 'successRate' | 'passed' | 'total' | 'unscored' | 'interval' | 'passAll'> &
  Pick<Results, 'passAtOne' | 'flipRate' | 'layers' | 'byCategory' | 'byRule'>;

/** A sample passes when all its trials pass; with an unscored trial, only a failure is certain. */
export function outcomeOf(trials: readonly Outcome[]): Outcome {
  if (trials.includes('fail')) return 'fail';
  return trials.length === 0 || trials.includes('unscored') ? 'unscored' : 'pass';
}

/** Wilson's 95 % interval of a rate: right for small counts too, unlike the usual one. `z`: another quantile than the normal one. */
export function wilson(passed: number, total: number, z = 1.959_963_984_540_054): [number, number] {
  if (total === 0) return [0, 1];
  const rate = passed / total;
  const scale = 1 + (z * z) / total;
  const centre = rate + (z * z) / (2 * total);
  const spread = z * Math.sqrt((rate * (1 - rate)) / total + (z * z) / (4 * total * total));
  const low = passed === 0 ? 0 : (centre - spread) / scale;
  const high = passed === total ? 1 : (centre + spread) / scale;
  return [low, high];
}

/** `unscored` samples count in no rate; without any scored sample the rate is 0 and its interval says nothing. */
export function scoreSamples(samples: readonly SampleResult[]): Score {
  const scored = samples.filter(({ outcome }) => outcome !== 'unscored');
  const passed = scored.filter(({ outcome }) => outcome === 'pass').length;
  const rate = ratio(passed, scored.length);
  // A trial that was judged counts, also where another one of its sample was not.
  const tallies = samples.map(tallyOf).filter((trials) => trials.total > 0);
  const several = tallies.filter((trials) => trials.total > 1);
  return {
    successRate: rate,
    passed,
    total: scored.length,
    unscored: samples.length - scored.length,
    interval: wilson(passed, scored.length),
    passAll: rate,
    passAtOne: mean(tallies.map((trials) => ratio(trials.passed, trials.total))),
    flipRate: mean(several.map((trials) => (trials.passed > 0 && trials.passed < trials.total ? 1 : 0))),
    layers: layersOf(scored),
    byCategory: tally(scored, ({ category }) => [category]),
    byRule: tally(scored, ({ covers }) => [...new Set(covers)]),
  };
}

export function scoredTrials({ trials }: SampleResult): TrialResult[] {
  return trials.filter(({ outcome }) => outcome !== 'unscored');
}

export function tallyOf(sample: SampleResult): Tally {
  const scored = scoredTrials(sample);
  return { passed: scored.filter(({ outcome }) => outcome === 'pass').length, total: scored.length };
}

/** Contract: split only where every failure of layer 4 has its cause. */
export function layersOf(samples: readonly SampleResult[]): Results['layers'] {
  const failed = samples.filter(({ layer }) => layer !== undefined);
  const count = (wanted: number): number => failed.filter(({ layer }) => layer === wanted).length;
  const counts = { '1': count(1), '2': count(2), '3': count(3), '4': count(4) };
  const caused = (wanted: Cause): number => failed.filter(({ cause }) => cause === wanted).length;
  const isSplit = caused('4a') + caused('4b') === counts['4'];
  return isSplit ? { ...counts, '4a': caused('4a'), '4b': caused('4b') } : counts;
}

function tally(samples: readonly SampleResult[], keysOf: (sample: SampleResult) => string[]): Results['byRule'] {
  const counts = new Map<string, Tally>();
  for (const sample of samples) {
    for (const key of keysOf(sample)) {
      const { passed, total } = counts.get(key) ?? { passed: 0, total: 0 };
      counts.set(key, { passed: passed + (sample.outcome === 'pass' ? 1 : 0), total: total + 1 });
    }
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })));
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function mean(values: readonly number[]): number {
  return ratio(
    values.reduce((sum, value) => sum + value, 0),
    values.length,
  );
}
