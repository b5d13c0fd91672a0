/** Statistics of a set of results: rates with intervals, pass^k, flips, and the same by category, rule, layer and tool. */
import { clusterInterval, averageClusters } from './cluster-interval.ts';
import { passTable, type Tally } from './pass-k.ts';
import type { Layer, SampleResult, TrialResult } from '../result.ts';
import { divideOrZero, scoredTrials, sumValues, tallyTrials, wilsonInterval } from './score.ts';

export type Rate = { value: number; interval: [number, number] };
export type Group = Tally & Rate & { key: string };

export type Statistics = {
  samples: number;
  /** Judged trials; `unscored` ones are counted separately and are in no rate. */
  trials: number;
  unscored: number;
  /** The share of samples that passed all their trials, as in the score; Wilson's interval. */
  passAll: Rate;
  /** The mean share of passed trials per sample; the interval treats trials of one sample as alike. */
  passAtOne: Rate;
  /** pass^1, pass^2, … up to the number of trials that every sample has. */
  passK: number[];
  /** The share of samples whose trials disagree, among those with two trials or more. */
  flipRate: Rate;
  byCategory: Group[];
  byRule: Group[];
  /** Failed trials by the layer of their sample. */
  byLayer: { layer: Layer; failed: number }[];
  /** Trials that called each tool; empty when the called tools are not known. */
  byTool: Group[];
};

export type CalledToolsLookup = (sample: SampleResult, trial: TrialResult) => readonly string[];

export function computeStatistics(
  all: readonly SampleResult[],
  { toolsOf = () => [] }: { toolsOf?: CalledToolsLookup } = {},
): Statistics {
  const samples = all.filter((sample) => scoredTrials(sample).length > 0);
  const tallies = samples.map(tallyTrials);
  const several = tallies.filter(({ total }) => total > 1);
  const trials = sumValues(tallies.map(({ total }) => total));
  return {
    samples: samples.length,
    trials,
    unscored: sumValues(all.map((sample) => sample.trials.length)) - trials,
    passAll: computeShare(
      all.filter(({ outcome }) => outcome !== 'unscored'),
      ({ outcome }) => outcome === 'pass',
    ),
    passAtOne: computeRate(tallies),
    passK: passTable(tallies),
    flipRate: computeShare(several, ({ passed, total }) => passed > 0 && passed < total),
    byCategory: groupTrials(samples, ({ category }) => [category]),
    byRule: groupTrials(samples, ({ covers }) => covers),
    byLayer: countByLayer(samples),
    byTool: groupTrials(samples, toolsOf),
  };
}

function computeRate(tallies: readonly Tally[]): Rate {
  if (tallies.length === 0) return { value: 0, interval: [0, 1] };
  const clusters = tallies.map(({ passed, total }) => ({ mean: passed / total, trials: total }));
  return { value: averageClusters(clusters), interval: clusterInterval(clusters) };
}

/** Groups samples by key; `passed` and `total` count trials, but every sample weighs the same in rate and interval. */
function groupTrials(samples: readonly SampleResult[], keysOf: CalledToolsLookup): Group[] {
  const members = new Map<string, Map<string, Tally>>();
  for (const sample of samples) {
    for (const trial of scoredTrials(sample)) {
      for (const key of new Set(keysOf(sample, trial))) {
        const tallies = members.get(key) ?? new Map<string, Tally>();
        members.set(key, tallies);
        const { passed, total } = tallies.get(sample.id) ?? { passed: 0, total: 0 };
        tallies.set(sample.id, { passed: passed + (trial.outcome === 'pass' ? 1 : 0), total: total + 1 });
      }
    }
  }
  return [...members]
    .map(([key, tallies]) => toGroup(key, [...tallies.values()]))
    .toSorted((a, b) => a.value - b.value || a.key.localeCompare(b.key, 'en', { numeric: true }));
}

function toGroup(key: string, tallies: readonly Tally[]): Group {
  const count = (of: 'passed' | 'total'): number => sumValues(tallies.map((tally) => tally[of]));
  return { key, passed: count('passed'), total: count('total'), ...computeRate(tallies) };
}

function countByLayer(samples: readonly SampleResult[]): Statistics['byLayer'] {
  return ([1, 2, 3, 4] as const).map((layer) => {
    const own = samples.filter((sample) => sample.layer === layer).map(tallyTrials);
    return { layer, failed: sumValues(own.map(({ passed, total }) => total - passed)) };
  });
}

function computeShare<One>(all: readonly One[], counts: (one: One) => boolean): Rate {
  const passed = all.filter(counts).length;
  return { value: divideOrZero(passed, all.length), interval: wilsonInterval(passed, all.length) };
}
