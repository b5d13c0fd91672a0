/** Formats a rate for people and agents: `89.5 %`. */

/** Tolerance for rates: they are quotients, whose mean may miss its target by a rounding error. */
export const RATE_EPSILON = 1e-9;

/** Compares a rate with its target; the run's outcome, the exit code and the reports all use this comparison. */
export function reachesTarget(rate: number, target: number): boolean {
  return rate >= target - RATE_EPSILON;
}

/**
 * Rounds the rate to a tenth of a percent; comparisons use the rate itself. A rate that rounding would lift to a whole
 * percent, as most targets are, is cut to a hundredth instead, so that a missed target does not look met.
 */
export function formatPercent(rate: number): string {
  if (!Number.isFinite(rate)) return '– %';
  const tenths = Math.round(rate * 1000 + RATE_EPSILON);
  const isLifted = tenths % 10 === 0 && tenths / 1000 > rate + RATE_EPSILON;
  return isLifted ? `${Math.floor(rate * 10_000 + RATE_EPSILON) / 100} %` : `${tenths / 10} %`;
}
