/** Statistics of a set of results: rates with intervals, pass^k, flips, and the same by category, rule, layer and tool. */
import { clusterBootstrap } from './bootstrap.ts';
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
  /** Share of samples that passed all their trials; Wilson's interval. */
  passAll: Rate;
  /** Mean share of passed trials per sample; cluster bootstrap by sample where any sample has several trials. */
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
  { seed, toolsOf = () => [] }: { seed?: number; toolsOf?: CalledToolsLookup } = {},
): Statistics {
  const samples = all.filter((sample) => scoredTrials(sample).length > 0);
  const tallies = samples.map(tallyOf);
  const several = tallies.filter(({ total }) => total > 1);
  const trials = sum(tallies.map(({ total }) => total));
  return {
    samples: samples.length,
    trials,
    unscored: sum(all.map((sample) => sample.trials.length)) - trials,
    passAll: shareOf(tallies, ({ passed, total }) => passed === total),
    passAtOne: passAtOne(samples, seed),
    passK: passTable(tallies),
    flipRate: shareOf(several, ({ passed, total }) => passed > 0 && passed < total),
    byCategory: groups(samples, ({ category }) => [category]),
    byRule: groups(samples, ({ covers }) => covers),
    byLayer: byLayer(samples),
    byTool: groups(samples, toolsOf),
  };
}

function passAtOne(samples: readonly SampleResult[], seed: number | undefined): Rate {
  const clusters = samples.map((sample) => scoredTrials(sample).map(({ outcome }) => (outcome === 'pass' ? 1 : 0)));
  const means = clusters.map((outcomes) => sum(outcomes) / outcomes.length);
  const value = means.length === 0 ? 0 : sum(means) / means.length;
  // With one trial each, the samples are independent draws, and Wilson's interval is better.
  if (clusters.every(({ length }) => length === 1)) return wilsonRate(sum(means), means.length);
  return { value, interval: clusterBootstrap(clusters, seed === undefined ? {} : { seed }) };
}

/** Trials by key. The interval is the cluster bootstrap's: a sample's trials are not independent of each other. */
function groups(samples: readonly SampleResult[], keysOf: CalledToolsLookup): Group[] {
  const members = new Map<string, Map<string, number[]>>();
  for (const sample of samples) {
    for (const trial of scoredTrials(sample)) {
      for (const key of new Set(keysOf(sample, trial))) {
        const clusters = members.get(key) ?? new Map<string, number[]>();
        members.set(key, clusters);
        const own = clusters.get(sample.id) ?? [];
        clusters.set(sample.id, own);
        own.push(trial.outcome === 'pass' ? 1 : 0);
      }
    }
  }
  return [...members]
    .map(([key, clusters]) => groupOf(key, [...clusters.values()]))
    .toSorted((a, b) => a.value - b.value || a.key.localeCompare(b.key, 'en', { numeric: true }));
}

function groupOf(key: string, clusters: readonly number[][]): Group {
  const outcomes = clusters.flat();
  const passed = sum(outcomes);
  const single = clusters.every(({ length }) => length === 1);
  const interval = single ? wilson(passed, outcomes.length) : clusterBootstrap(clusters);
  return { key, passed, total: outcomes.length, value: passed / outcomes.length, interval };
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

function shareOf(tallies: readonly Tally[], counts: (tally: Tally) => boolean): Rate {
  return wilsonRate(tallies.filter(counts).length, tallies.length);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
