/** What a finished iteration makes of a run: the next one, another round of design, or the end. */
import type { EventBody } from './event.ts';
import { enterRound } from './fold-round.ts';
import { judgeIterations } from './stop-rules.ts';
import { factsOf, type Iteration, type RunFacts, type RunState } from './state.ts';

export function afterIteration(state: RunState, body: Extract<EventBody, { type: 'iteration.done' }>): RunState {
  if (state.status !== 'executing') return state;
  const { type: _type, ...iteration } = body;
  const facts = withIteration(state, iteration);
  const verdict = judgeIterations(facts.origin.limits, facts.iterations);
  if (verdict !== undefined) return { ...facts, status: verdict.status, verdict };
  return { ...facts, iteration: facts.iteration + 1, status: 'executing', designDigest: state.designDigest };
}

/** A returned design is never silently good enough: it goes to Init and back through HITL-1, whatever its rate. */
export function afterReturn(state: RunState, body: Extract<EventBody, { type: 'design.returned' }>): RunState {
  const { type: _type, problems, ...iteration } = body;
  const facts = withIteration(state, { ...iteration, returned: problems });
  const { iteration: number, outputDir } = body;
  return enterRound(facts, { kind: 'returned', iteration: number, outputDir, problems });
}

function withIteration(state: RunState, iteration: Iteration): RunFacts {
  return { ...factsOf(state), iterations: [...state.iterations, iteration], lastFailure: undefined, opened: undefined };
}
