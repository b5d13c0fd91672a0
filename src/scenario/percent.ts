/** A rate as people and agents read it: `84.9 %`. */

/** Rates are quotients, and a mean of them may miss its own target by a rounding error. */
export const RATE_EPSILON = 1e-9;

/** The one rule for it: a run succeeds, a command exits with 0 and a report says so by the same comparison. */
export function reachesTarget(rate: number, target: number): boolean {
  return rate >= target - RATE_EPSILON;
}

/** Cut to a tenth, never rounded up: a rate that misses a target must not read like the target. */
export function percent(rate: number): string {
  if (!Number.isFinite(rate)) return '– %';
  // Dividing gives the nearest number to each tenth; `rate * 1000` may miss it, as 0.29 does.
  const near = Math.round(rate * 1000);
  return `${(near / 1000 <= rate + RATE_EPSILON ? near : near - 1) / 10} %`;
}
