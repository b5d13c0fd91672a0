/** Did a subject get worse? Exact and approximate tests over trials, whatever their number on either side. */
import { effectiveTrials, meanOf, type Cluster } from './cluster-interval.ts';
import type { Tally } from './pass-k.ts';

export type Pair = { before: Tally; now: Tally };

/**
 * How likely so few passes now are, if every sample still passes with its own chance: for each sample the passes of both
 * sides are dealt out again among its trials (Fisher's test, summed over the samples; with one trial a side it is McNemar's).
 * Contract: exact, so it calls a sound subject worse in at most `alpha` of all comparisons, for every pair of trial counts.
 */
export function passesWorse(pairs: readonly Pair[]): number {
  let chances = [1];
  let excess = 0;
  for (const { before, now } of pairs) {
    const passed = before.passed + now.passed;
    const least = Math.max(0, passed - before.total);
    const most = Math.min(passed, now.total);
    excess += now.passed - least;
    if (most === least) continue;
    chances = convolve(chances, dealt({ passed, least, most }, before.total, now.total));
  }
  let p = 0;
  for (let count = 0; count <= Math.min(excess, chances.length - 1); count += 1) p += chances[count] ?? 0;
  return Math.min(1, p);
}

/** The smallest p that any outcome of the new trials could have reached, had all of the old ones passed. */
export function clearestWorse(pairs: readonly Pair[]): number {
  return passesWorse(
    pairs.map(({ before, now }) => ({
      before: { passed: before.total, total: before.total },
      now: { passed: 0, total: now.total },
    })),
  );
}

/**
 * The same question where the samples are not the same ones: only the two rates are compared, each with as many trials as
 * its dependent ones are worth. Approximate: those are rounded to whole ones.
 */
export function rateWorse(before: readonly Tally[], now: readonly Tally[]): number {
  return passesWorse([{ before: worthOf(before), now: worthOf(now) }]);
}

function worthOf(tallies: readonly Tally[]): Tally {
  const clusters = clustersOf(tallies);
  if (clusters.length === 0) return { passed: 0, total: 0 };
  const total = Math.floor(effectiveTrials(clusters));
  return { passed: Math.round(meanOf(clusters) * total), total };
}

/**
 * The smallest drop of the pass rate, the same for every sample, that `passesWorse` finds at `alpha` with the given chance;
 * undefined when not even a drop to nothing is. Approximate: the test statistic counts as normal.
 */
export function detectableDrop(pairs: readonly Pair[], alpha: number, chance = 0.8): number | undefined {
  const total = pairs.reduce((sum, { before }) => sum + before.total, 0);
  const passed = pairs.reduce((sum, { before }) => sum + before.passed, 0);
  if (total === 0) return undefined;
  const rate = (passed + 0.5) / (total + 1);
  for (let drop = 0.01; drop <= rate; drop += 0.01) if (powerOf(pairs, { rate, drop, alpha }) >= chance) return drop;
  return undefined;
}

function powerOf(pairs: readonly Pair[], { rate, drop, alpha }: { rate: number; drop: number; alpha: number }): number {
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
  // Half a pass for the steps in which the count moves.
  const needed = normalQuantile(1 - alpha) * Math.sqrt(nullSpread) + 0.5;
  return 1 - normalTail((shift - needed) / Math.sqrt(spread));
}

/** Chances of `least`, `least + 1`, … passes among the new trials, given how many both sides have together. */
function dealt(
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

function convolve(one: readonly number[], other: readonly number[]): number[] {
  const sum = Array.from({ length: one.length + other.length - 1 }, () => 0);
  for (const [left, chance] of one.entries())
    for (const [right, factor] of other.entries()) sum[left + right] = (sum[left + right] ?? 0) + chance * factor;
  return sum;
}

function clustersOf(tallies: readonly Tally[]): Cluster[] {
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

/** By bisection on `normalTail`: called a handful of times. */
function normalQuantile(share: number): number {
  let [low, high] = [-8, 8];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (1 - normalTail(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
