/** When a run has met its target or used up a limit: each rule names itself in the verdict (S0.25). */
import { percent, RATE_EPSILON, reachesTarget } from '../scenario/percent.ts';
import type { RunLimits } from './event.ts';
import type { Iteration } from './state.ts';
import type { RunVerdict } from './verdict.ts';

/** After an iteration: the verdict, or undefined when another iteration may follow. */
export function judgeIterations(limits: RunLimits, iterations: readonly Iteration[]): RunVerdict | undefined {
  const last = iterations.at(-1);
  if (last === undefined) return undefined;
  return targetMet(limits, last) ?? iterationCap(limits, last) ?? patienceSpent(limits, iterations, last);
}

/** Before another round of design: the verdict when no round, or no iteration that could use it, is left. */
export function judgeNewRound(limits: RunLimits, round: number, last: Iteration | undefined): RunVerdict | undefined {
  if (round > limits.maxRounds) {
    const why = `Another design was asked for after round ${round - 1}, and the round cap is ${limits.maxRounds}.`;
    return { status: 'failed', because: 'round_cap', why };
  }
  return last === undefined ? undefined : iterationCap(limits, last);
}

function targetMet(limits: RunLimits, last: Iteration): RunVerdict | undefined {
  // Without scored samples there is no rate, so no target can be met.
  if (last.total === 0 || !reachesTarget(measured(limits, last), limits.target)) return undefined;
  const why = `Iteration ${last.iteration} meets the target: ${measuredText(limits, last)}, target ${percent(limits.target)}.`;
  return { status: 'succeeded', because: 'target', why };
}

function iterationCap(limits: RunLimits, last: Iteration): RunVerdict | undefined {
  if (last.iteration < limits.maxIterations) return undefined;
  const score = `${measuredText(limits, last)}, target ${percent(limits.target)}`;
  const why = `The iteration cap of ${limits.maxIterations} is used up: iteration ${last.iteration} has ${score}.`;
  return { status: 'failed', because: 'iteration_cap', why };
}

/** Counts the iterations under one design since its best one. */
function patienceSpent(limits: RunLimits, iterations: readonly Iteration[], last: Iteration): RunVerdict | undefined {
  let best: Iteration | undefined;
  let stale = 0;
  for (const iteration of iterations.filter(({ round }) => round === last.round)) {
    const isBetter = best === undefined || measured(limits, iteration) > measured(limits, best) + RATE_EPSILON;
    if (isBetter) best = iteration;
    stale = isBetter ? 0 : stale + 1;
  }
  if (best === undefined || stale < limits.patience) return undefined;
  const score = `${measuredText(limits, best)} in iteration ${best.iteration}`;
  const why = `Patience is used up: ${stale} iterations in a row under design r${last.round} were no better than ${score}.`;
  return { status: 'failed', because: 'patience', why };
}

function measured(limits: RunLimits, iteration: Iteration): number {
  return limits.gate === 'rate' ? iteration.successRate : iteration.lowerBound;
}

function measuredText(limits: RunLimits, iteration: Iteration): string {
  const score = `${iteration.passed} of ${iteration.total} passed, ${percent(iteration.successRate)}`;
  return limits.gate === 'rate' ? score : `${score} with a lower bound of ${percent(iteration.lowerBound)}`;
}
