/** Folds a journal into a state; it is pure, and defined for every sequence of accepted events. */
import { omitUndefined } from '../omit-undefined.ts';
import { HarnessError } from '../errors.ts';
import { findEventFault } from './event-fault.ts';
import type { EventBody, UnchainedEvent, RunEvent } from './event.ts';
import { afterDecision, openGate, enterRound } from './fold-gate.ts';
import {
  pickFacts,
  type BodyOf,
  type LivePhase,
  type Phase,
  type RunFacts,
  type RunState,
  type Iteration,
} from './state.ts';
import { afterUndo } from './undo.ts';
import type { RunOutcome } from './run-outcome.ts';
import { judgeIterations } from './stop-rules.ts';

/** Folds the events; throws `event_refused` for one that does not fit, and `data_corrupt` when there is none. */
export function fold(events: readonly RunEvent[]): RunState {
  let state: RunState | undefined;
  for (const event of events) state = applyEvent(state, event);
  if (state !== undefined) return state;
  const message =
    'The journal is empty: the run is being made, or who made it was killed. tandem run <scenario> --id <its id> --continue begins it there; or delete its folder.';
  throw new HarnessError('data_corrupt', message);
}

/** Returns the state after one more event. */
export function applyEvent(
  state: RunState | undefined,
  event: Pick<RunEvent, 'seq' | 'ts' | 'actor' | 'body'>,
): RunState {
  const refusal = findEventFault(state, event.body, event.actor);
  if (refusal !== undefined) {
    const { type } = event.body;
    const message = `Event ${event.seq} (${type}) does not fit the run: ${refusal}.`;
    const details = { seq: event.seq, type, status: state?.status ?? 'none' };
    throw new HarnessError('event_refused', message, { details });
  }
  const next = state === undefined ? createState(event) : computeNextState(state, event);
  return { ...next, length: (state?.length ?? 0) + 1 };
}

function createState({ body, actor, ts }: UnchainedEvent): RunState {
  if (body.type !== 'run.created') throw new HarnessError('event_refused', 'The first event of a run is run.created.');
  const { type: _type, ...origin } = body;
  return {
    status: 'created',
    origin: { ...origin, at: ts },
    startedBy: actor,
    length: 0,
    round: 0,
    iteration: 0,
    iterations: [],
    designs: [],
    decisions: [],
    undone: [],
    opened: undefined,
    reason: { kind: 'first' },
    reviewerNotes: [],
    budgetUsd: body.limits.budgetUsd,
    raises: [],
    lastFailure: undefined,
  };
}

function computeNextState(state: RunState, event: UnchainedEvent): RunState {
  const { body, actor, ts } = event;
  switch (body.type) {
    case 'run.started':
      return enterPhase(state, { status: 'designing' }, { round: 1 });
    case 'design.done':
      return openGate(state, body, ts);
    case 'gate.decided':
      return afterDecision(state, { body, actor, ts });
    case 'gate.undone':
      return afterUndo(state, { body, actor, ts });
    case 'step.begun':
      return { ...state, opened: undefined };
    case 'gate.reminded':
      return countReminder(state);
    case 'gate.expired':
      return endRun(state, { status: 'expired', because: 'expiry', why: `${body.gate} expired without a decision.` });
    case 'iteration.done':
      return afterIteration(state, body);
    case 'design.returned':
      return afterReturn(state, body);
    case 'run.paused':
      return enterPhase(state, {
        status: 'paused',
        prev: findLivePhase(state),
        pause: { reason: body.reason, detail: body.detail, actor, at: ts },
      });
    case 'run.resumed':
      return resumeRun(takeRules(state, body), { usd: body.raiseUsd ?? 0, actor, at: ts });
    case 'run.cancelled':
      return endRun(state, {
        status: 'cancelled',
        because: 'cancel',
        why: `Cancelled by ${actor}${body.detail === '' ? '' : `: ${body.detail}`}.`,
      });
    case 'step.failed':
      return recordStepFailure(state, body, ts);
    case 'run.retried':
      return enterPhase(takeRules(state, body), findLivePhase(state), { lastFailure: undefined });
    case 'run.created':
    case 'chat.exchanged':
    case 'agent.steered':
    case 'agent.heard':
    case 'gate.commented':
      return state;
    default:
      return body satisfies never;
  }
}

function enterPhase(state: RunState, phase: Phase, change: Partial<RunFacts> = {}): RunState {
  return { ...pickFacts(state), ...change, ...phase };
}

function endRun(state: RunState, verdict: RunOutcome): RunState {
  return enterPhase(state, { status: verdict.status, verdict });
}

/** Returns the live phase that the run is in, or the one to which it will return. */
function findLivePhase(state: RunState): LivePhase {
  switch (state.status) {
    case 'paused':
    case 'errored':
      return state.prev;
    case 'awaiting_approval':
      return { status: state.status, gate: state.gate };
    case 'executing':
      return { status: state.status, designDigest: state.designDigest };
    case 'designing':
      return { status: 'designing' };
    default:
      return { status: 'created' };
  }
}

function countReminder(state: RunState): RunState {
  if (state.status !== 'awaiting_approval') return state;
  const reminders = state.gate.reminders + 1;
  const opened = state.opened && { ...state.opened, gate: { ...state.opened.gate, reminders } };
  return { ...state, opened, gate: { ...state.gate, reminders } };
}

type TakenToday = Pick<BodyOf<'run.resumed'>, 'rules' | 'user' | 'judging'>;

function takeRules(state: RunState, { rules, user, judging }: TakenToday): RunState {
  const { origin } = state;
  const taken = { rules: rules ?? origin.rules, user: user ?? origin.user, judging: judging ?? origin.judging };
  return { ...state, origin: { ...origin, ...omitUndefined(taken) } };
}

function resumeRun(state: RunState, raise: RunState['raises'][number]): RunState {
  const raises = raise.usd > 0 ? [...state.raises, raise] : state.raises;
  return enterPhase(state, findLivePhase(state), { raises, budgetUsd: state.budgetUsd + raise.usd });
}

function recordStepFailure(state: RunState, body: Extract<EventBody, { type: 'step.failed' }>, at: string): RunState {
  const { type: _type, ...reported } = body;
  const failure = { ...reported, at };
  if (!body.final) return { ...state, lastFailure: failure };
  return enterPhase(state, { status: 'errored', prev: findLivePhase(state), failure }, { lastFailure: failure });
}

function afterIteration(state: RunState, body: Extract<EventBody, { type: 'iteration.done' }>): RunState {
  if (state.status !== 'executing') return state;
  const { type: _type, ...iteration } = body;
  const facts = withIteration(state, iteration);
  const verdict = judgeIterations(facts.origin.limits, facts.iterations);
  if (verdict !== undefined) return { ...facts, status: verdict.status, verdict };
  return { ...facts, iteration: facts.iteration + 1, status: 'executing', designDigest: state.designDigest };
}

/** Sends a returned design to Init and back through HITL-1, whatever success rate it reached. */
function afterReturn(state: RunState, body: Extract<EventBody, { type: 'design.returned' }>): RunState {
  const { type: _type, problems, ...iteration } = body;
  const facts = withIteration(state, { ...iteration, returned: problems });
  const { iteration: number, outputDir } = body;
  return enterRound(facts, { kind: 'returned', iteration: number, outputDir, problems });
}

function withIteration(state: RunState, iteration: Iteration): RunFacts {
  return {
    ...pickFacts(state),
    iterations: [...state.iterations, iteration],
    lastFailure: undefined,
    opened: undefined,
  };
}
