/** Decides when a run has met its target or used up a limit; the verdict names the deciding rule (S0.25). */
import { formatPercent, RATE_EPSILON, reachesTarget } from '../scenario/percent.ts';
import { formatNotProven } from '../scenario/statistics/judge-results.ts';
import type { RunLimits } from './event.ts';
import type { Iteration } from './state.ts';
import type { RunOutcome } from './run-outcome.ts';

/** Judges after an iteration; undefined when another iteration may follow. */
export function judgeIterations(limits: RunLimits, iterations: readonly Iteration[]): RunOutcome | undefined {
  const last = iterations.at(-1);
  if (last === undefined) return undefined;
  return targetMet(limits, last) ?? iterationCap(limits, last) ?? countSinceBest(limits, iterations, last);
}

/** Judges before a new design round: ends the run when no round, or no iteration to use it, is left. */
export function judgeNewRound(limits: RunLimits, round: number, last: Iteration | undefined): RunOutcome | undefined {
  if (round > limits.maxRounds) {
    const why = `Another design was asked for after round ${round - 1}, and the round cap is ${limits.maxRounds}.`;
    return { status: 'failed', because: 'round_cap', why };
  }
  return last === undefined ? undefined : iterationCap(limits, last);
}

function targetMet(limits: RunLimits, last: Iteration): RunOutcome | undefined {
  // Without scored samples there is no rate, so no target can be met; doubts and rules without a proof meet none either.
  const isOpen = last.total === 0 || last.verdict !== undefined || last.unproven !== undefined;
  if (isOpen || !reachesTarget(getMeasuredRate(limits, last), limits.target)) return undefined;
  const why = `Iteration ${last.iteration} meets the target: ${formatMeasured(limits, last)}, target ${formatPercent(limits.target)}.`;
  return { status: 'succeeded', because: 'target', why };
}

function iterationCap(limits: RunLimits, last: Iteration): RunOutcome | undefined {
  if (last.iteration < limits.maxIterations) return undefined;
  const score = `${formatMeasured(limits, last)}, target ${formatPercent(limits.target)}`;
  const why = `The iteration cap of ${limits.maxIterations} is used up: iteration ${last.iteration} has ${score}.`;
  return { status: 'failed', because: 'iteration_cap', why };
}

/** Counts the iterations under one design since its best one. */
function countSinceBest(limits: RunLimits, iterations: readonly Iteration[], last: Iteration): RunOutcome | undefined {
  let best: Iteration | undefined;
  let stale = 0;
  for (const iteration of iterations.filter(({ round }) => round === last.round)) {
    const isBetter =
      best === undefined || getMeasuredRate(limits, iteration) > getMeasuredRate(limits, best) + RATE_EPSILON;
    if (isBetter) best = iteration;
    stale = isBetter ? 0 : stale + 1;
  }
  if (best === undefined || stale < limits.patience) return undefined;
  const score = `${formatMeasured(limits, best)} in iteration ${best.iteration}`;
  const why = `Patience is used up: ${stale} iterations in a row under design r${last.round} were no better than ${score}.`;
  return { status: 'failed', because: 'patience', why };
}

function getMeasuredRate(limits: RunLimits, iteration: Iteration): number {
  return limits.gate === 'rate' ? iteration.successRate : iteration.lowerBound;
}

function formatMeasured(limits: RunLimits, iteration: Iteration): string {
  const { low, high } = iteration.passedRange ?? { low: iteration.passed, high: iteration.passed };
  const passed = low === high ? `${low}` : `${low} to ${high}`;
  const doubt = iteration.verdict === 'disputed' ? ' (disputed)' : '';
  const rate = `${passed} of ${iteration.total} passed${doubt}, ${formatPercent(iteration.successRate)}`;
  const score = iteration.unproven === undefined ? rate : `${rate} (${formatNotProven(iteration.unproven)})`;
  return limits.gate === 'rate' ? score : `${score} with a lower bound of ${formatPercent(iteration.lowerBound)}`;
}
