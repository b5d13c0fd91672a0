/** Statistics of a set of results: rates with intervals, pass^k, flips, and the same by category, rule, layer and tool. */
import { clusterInterval, meanOf } from './cluster-interval.ts';
import { passTable, type Tally } from './pass-k.ts';
import type { SampleResult, TrialResult } from '../result.ts';
import { scoredTrials, tallyOf, wilson } from './score.ts';

export type Rate = { value: number; interval: [number, number] };
export type Group = Tally & Rate & { key: string };

export type Statistics = {
  samples: number;
  /** Judged trials; `unscored` ones are counted separately and are in no rate. */
  trials: number;
  unscored: number;
  /** Share of samples that passed all their trials, as the score counts it; Wilson's interval. */
  passAll: Rate;
  /** Mean share of passed trials per sample; the interval counts trials of one sample as alike. */
  passAtOne: Rate;
  /** pass^1, pass^2, … as far as every sample has trials. */
  passK: number[];
  /** Share of the samples with two trials or more whose trials disagree. */
  flipRate: Rate;
  byCategory: Group[];
  byRule: Group[];
  /** Failed trials by the layer of their sample. */
  byLayer: { layer: number; failed: number }[];
  /** Trials in which a tool was called; empty when the tools are not known. */
  byTool: Group[];
};

export type CalledToolsLookup = (sample: SampleResult, trial: TrialResult) => readonly string[];

export function statisticsOf(
  all: readonly SampleResult[],
  { toolsOf = () => [] }: { toolsOf?: CalledToolsLookup } = {},
): Statistics {
  const samples = all.filter((sample) => scoredTrials(sample).length > 0);
  const tallies = samples.map(tallyOf);
  const several = tallies.filter(({ total }) => total > 1);
  const trials = sum(tallies.map(({ total }) => total));
  return {
    samples: samples.length,
    trials,
    unscored: sum(all.map((sample) => sample.trials.length)) - trials,
    passAll: shareOf(
      all.filter(({ outcome }) => outcome !== 'unscored'),
      ({ outcome }) => outcome === 'pass',
    ),
    passAtOne: rateOf(tallies),
    passK: passTable(tallies),
    flipRate: shareOf(several, ({ passed, total }) => passed > 0 && passed < total),
    byCategory: groups(samples, ({ category }) => [category]),
    byRule: groups(samples, ({ covers }) => covers),
    byLayer: byLayer(samples),
    byTool: groups(samples, toolsOf),
  };
}

function rateOf(tallies: readonly Tally[]): Rate {
  if (tallies.length === 0) return { value: 0, interval: [0, 1] };
  const clusters = tallies.map(({ passed, total }) => ({ mean: passed / total, trials: total }));
  return { value: meanOf(clusters), interval: clusterInterval(clusters) };
}

/** Samples by key; `passed` and `total` count their trials. Every sample weighs the same, in the rate and in its interval. */
function groups(samples: readonly SampleResult[], keysOf: CalledToolsLookup): Group[] {
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
    .map(([key, tallies]) => groupOf(key, [...tallies.values()]))
    .toSorted((a, b) => a.value - b.value || a.key.localeCompare(b.key, 'en', { numeric: true }));
}

function groupOf(key: string, tallies: readonly Tally[]): Group {
  const count = (of: 'passed' | 'total'): number => sum(tallies.map((tally) => tally[of]));
  return { key, passed: count('passed'), total: count('total'), ...rateOf(tallies) };
}

function byLayer(samples: readonly SampleResult[]): Statistics['byLayer'] {
  return [1, 2, 3, 4].map((layer) => {
    const own = samples.filter((sample) => sample.layer === layer).map(tallyOf);
    return { layer, failed: sum(own.map(({ passed, total }) => total - passed)) };
  });
}

function wilsonRate(passed: number, total: number): Rate {
  return { value: total === 0 ? 0 : passed / total, interval: wilson(passed, total) };
}

function shareOf<One>(all: readonly One[], counts: (one: One) => boolean): Rate {
  return wilsonRate(all.filter(counts).length, all.length);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
