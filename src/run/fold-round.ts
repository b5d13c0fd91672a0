/** The way back to Init: a new round with its reason, unless a limit ends the run first. */
import { judgeNewRound } from './stop-rules.ts';
import type { RoundReason, RunFacts, RunState } from './state.ts';

export function enterRound(facts: RunFacts, reason: RoundReason): RunState {
  const round = facts.round + 1;
  const verdict = judgeNewRound(facts.origin.limits, round, facts.iterations.at(-1));
  if (verdict !== undefined) return { ...facts, status: verdict.status, verdict };
  return { ...facts, status: 'designing', round, reason, lastFailure: undefined };
}
