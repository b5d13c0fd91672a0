/** An interval for the mean of dependent trials: trials of one sample are alike, so they count for less. */
import { wilsonInterval } from './score.ts';

/** The trials of one sample together: their mean and their number. */
export type Cluster = { mean: number; trials: number };

/** The samples with equal trials that are added, because few real samples give a poor estimate of the spread. */
const PRIOR_SAMPLES = 8;

/**
 * Computes the 95 % interval of the mean of the samples' means: Wilson's with Student's quantile, for the number of
 * independent trials that the dependent ones are worth (at least the number of samples). It always contains the mean;
 * docs/internals/statistics.md has its coverage by simulation.
 */
export function clusterInterval(clusters: readonly Cluster[]): [number, number] {
  if (clusters.length === 0) return [0, 1];
  const mean = averageClusters(clusters);
  if (clusters.every(({ trials }) => trials === 1)) return wilsonInterval(mean * clusters.length, clusters.length);
  const worth = effectiveTrials(clusters);
  return wilsonInterval(mean * worth, worth, studentQuantile(clusters.length - 1));
}

export function averageClusters(clusters: readonly Cluster[]): number {
  return clusters.reduce((sum, { mean }) => sum + mean, 0) / clusters.length;
}

/** Lies between the number of samples, if their trials are all alike, and that of trials, if all are independent. */
export function effectiveTrials(clusters: readonly Cluster[]): number {
  const samples = clusters.length;
  const each = samples / clusters.reduce((sum, { trials }) => sum + 1 / trials, 0);
  if (each <= 1) return samples;
  const alike = (samples * estimateIntraclass(clusters, each) + PRIOR_SAMPLES) / (samples + PRIOR_SAMPLES);
  return Math.max(samples, (samples * each) / (1 + (each - 1) * alike));
}

/** Estimates the intra-class correlation by moments: 0 if trials of a sample are no more alike, 1 if all equal. */
function estimateIntraclass(clusters: readonly Cluster[], each: number): number {
  const mean = averageClusters(clusters);
  const spread = mean * (1 - mean);
  if (spread === 0 || clusters.length < 2) return 1;
  const between = clusters.reduce((sum, one) => sum + (one.mean - mean) ** 2, 0) / (clusters.length - 1);
  return Math.min(1, Math.max(0, (between / spread - 1 / each) / (1 - 1 / each)));
}

/** Returns Student's two-sided 95 % quantile by the Cornish-Fisher series, for at least two degrees of freedom. */
export function studentQuantile(freedom: number): number {
  const z = 1.959_963_984_540_054;
  const degrees = Math.max(2, freedom);
  const terms = [
    z,
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
  ];
  return terms.reduce((sum, term, power) => sum + term / degrees ** power, 0);
}
