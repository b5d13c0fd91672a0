/** Tests whether a subject got worse, exactly or approximately, for any number of trials on either side. */
import { effectiveTrials, averageClusters, type Cluster } from './cluster-interval.ts';
import type { Tally } from './pass-k.ts';

export type TallyPair = { before: Tally; now: Tally };

/**
 * Computes the probability of so few passes now if every sample still passes at its own rate: each sample's passes are
 * redistributed among its trials (Fisher's test summed over samples; McNemar's with one trial a side). It is exact: it
 * calls an unchanged subject worse in at most `alpha` of all comparisons, for every pair of trial counts.
 */
export function computePairedP(pairs: readonly TallyPair[]): number {
  let chances = [1];
  let excess = 0;
  for (const { before, now } of pairs) {
    const passed = before.passed + now.passed;
    const least = Math.max(0, passed - before.total);
    const most = Math.min(passed, now.total);
    excess += now.passed - least;
    if (most === least) continue;
    chances = convolveChances(chances, computePassChances({ passed, least, most }, before.total, now.total));
  }
  let p = 0;
  for (let count = 0; count <= Math.min(excess, chances.length - 1); count += 1) p += chances[count] ?? 0;
  return Math.min(1, p);
}

/** Computes the smallest p that the new trials could have reached if all of the old ones had passed. */
export function computeSmallestP(pairs: readonly TallyPair[]): number {
  return computePairedP(
    pairs.map(({ before, now }) => ({
      before: { passed: before.total, total: before.total },
      now: { passed: 0, total: now.total },
    })),
  );
}

/**
 * Finds the limit below which the p of a single sample shows a regression, so that among all of them at most `alpha` of
 * comparisons are false alarms. Samples whose passes are so many or so few that no outcome could be shown do not count
 * (Tarone 1990): one sample that dies among many that always pass is seen.
 */
export function computeSingleLimit(pairs: readonly TallyPair[], alpha: number): number {
  const least = pairs.map((pair) => {
    const passed = pair.before.passed + pair.now.passed;
    const now = Math.max(0, passed - pair.before.total);
    return computePairedP([{ before: { ...pair.before, passed: passed - now }, now: { ...pair.now, passed: now } }]);
  });
  let count = 1;
  while (least.filter((p) => p <= alpha / count).length > count) count += 1;
  return alpha / count;
}

/**
 * Tests the same question for different samples: it compares only the two rates, each with the number of trials that
 * its dependent trials are worth. Approximate, because these numbers are rounded to integers.
 */
export function computeRateP(before: readonly Tally[], now: readonly Tally[]): number {
  return computePairedP([{ before: toEffectiveTally(before), now: toEffectiveTally(now) }]);
}

function toEffectiveTally(tallies: readonly Tally[]): Tally {
  const clusters = toClusters(tallies);
  if (clusters.length === 0) return { passed: 0, total: 0 };
  const total = Math.floor(effectiveTrials(clusters));
  return { passed: Math.round(averageClusters(clusters) * total), total };
}

/**
 * Finds the smallest drop of the pass rate, equal for all samples, that `computePairedP` detects at `alpha` with this
 * power; undefined when not even a drop to 0 is found. Approximate, because the test statistic is taken as normal.
 */
export function detectableDrop(pairs: readonly TallyPair[], alpha: number, chance = 0.8): number | undefined {
  const total = pairs.reduce((sum, { before }) => sum + before.total, 0);
  const passed = pairs.reduce((sum, { before }) => sum + before.passed, 0);
  if (total === 0) return undefined;
  const rate = (passed + 0.5) / (total + 1);
  for (let drop = 0.01; drop <= rate; drop += 0.01)
    if (computePower(pairs, { rate, drop, alpha }) >= chance) return drop;
  return undefined;
}

function computePower(
  pairs: readonly TallyPair[],
  { rate, drop, alpha }: { rate: number; drop: number; alpha: number },
): number {
  const after = rate - drop;
  let [shift, nullSpread, spread] = [0, 0, 0];
  for (const { before, now } of pairs) {
    const all = before.total + now.total;
    const weight = (before.total * now.total) / all;
    const pooled = (before.total * rate + now.total * after) / all;
    shift += weight * drop;
    nullSpread += weight * pooled * (1 - pooled);
    spread += weight ** 2 * ((rate * (1 - rate)) / before.total + (after * (1 - after)) / now.total);
  }
  // Half a pass corrects for the steps in which the count moves.
  const needed = normalQuantile(1 - alpha) * Math.sqrt(nullSpread) + 0.5;
  return 1 - normalTail((shift - needed) / Math.sqrt(spread));
}

/** Computes the probabilities of `least`, `least + 1`, … new passes, given the passes of both sides together. */
function computePassChances(
  { passed, least, most }: { passed: number; least: number; most: number },
  before: number,
  now: number,
): number[] {
  const chances = [1];
  for (let hits = least; hits < most; hits += 1) {
    const step = ((passed - hits) * (now - hits)) / ((hits + 1) * (before - passed + hits + 1));
    chances.push((chances.at(-1) ?? 0) * step);
  }
  const whole = chances.reduce((sum, one) => sum + one, 0);
  return chances.map((one) => one / whole);
}

function convolveChances(one: readonly number[], other: readonly number[]): number[] {
  const sum = Array.from({ length: one.length + other.length - 1 }, () => 0);
  for (const [left, chance] of one.entries())
    for (const [right, factor] of other.entries()) sum[left + right] = (sum[left + right] ?? 0) + chance * factor;
  return sum;
}

function toClusters(tallies: readonly Tally[]): Cluster[] {
  return tallies.flatMap(({ passed, total }) => (total === 0 ? [] : [{ mean: passed / total, trials: total }]));
}

/** P(Z > z) for a normal deviate: the series z + z^3/3 + z^5/(3*5) + ... times the density, from one half. */
function normalTail(z: number): number {
  if (Math.abs(z) > 8) return z > 0 ? 0 : 1;
  let [term, sum] = [z, z];
  for (let odd = 3; Math.abs(term) > 1e-16 * Math.abs(sum); odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return 0.5 - (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** Inverts `normalTail` by bisection, which is fast enough for a few calls. */
function normalQuantile(share: number): number {
  let [low, high] = [-8, 8];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (1 - normalTail(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
