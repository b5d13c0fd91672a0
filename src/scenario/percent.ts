/** Formats a rate for people and agents: `84.9 %`. */

/** Tolerance for rates: they are quotients, whose mean may miss its target by a rounding error. */
export const RATE_EPSILON = 1e-9;

/** Compares a rate with its target; the run's outcome, the exit code and the reports all use this comparison. */
export function reachesTarget(rate: number, target: number): boolean {
  return rate >= target - RATE_EPSILON;
}

/** Cuts the rate to a tenth of a percent and never rounds up, so that a missed target does not look met. */
export function formatPercent(rate: number): string {
  if (!Number.isFinite(rate)) return '– %';
  // Division finds the nearest number to each tenth, which `rate * 1000` may miss, as for 0.29.
  const near = Math.round(rate * 1000);
  return `${(near / 1000 <= rate + RATE_EPSILON ? near : near - 1) / 10} %`;
}
