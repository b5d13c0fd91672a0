/** Finds the decisions that can be undone, and restores the gate that then waits again. */
import { gateId, type GateDecision } from '../gate/rules/gate.ts';
import type { EventBody, UnchainedEvent } from './event.ts';
import { afterDecision } from './fold-gate.ts';
import { pickFacts, type RunState } from './state.ts';

type UndoneBody = Extract<EventBody, { type: 'gate.undone' }>;

/** Names the step that the run is at: `design.r2`, `execute.i1`. */
export function formatStepName({ status, round, iteration }: Pick<RunState, 'status' | 'round' | 'iteration'>): string {
  return status === 'designing' ? `design.r${round}` : `execute.i${iteration}`;
}

/**
 * Lists the decisions at the newest gate that no later work depends on. An edit makes a new design, so votes before and
 * after it concern different ones: earlier votes cannot be undone before the edit, nor the edit before later votes.
 */
export function listUndoable(state: RunState): readonly GateDecision[] {
  const { opened } = state;
  if (opened === undefined || state.status === 'cancelled' || state.status === 'expired') return [];
  const here = state.decisions.filter(({ gate }) => gate === opened.gate.id);
  const last = here.at(-1);
  if (last?.decision !== 'approve') return last === undefined ? [] : [last];
  return here.slice(here.findLastIndex(({ decision }) => decision === 'edit_approve') + 1);
}

export function undoFault(state: RunState, body: UndoneBody, actor: string): string | undefined {
  if (!actor.startsWith('user:')) return `${JSON.stringify(actor)} may not take a decision back: only a person may`;
  if (state.opened === undefined) return 'the step after the newest decision has begun to spend money';
  if (body.gate !== state.opened.gate.id || gateId(body.round) !== body.gate)
    return `the newest gate is ${state.opened.gate.id}, not ${body.gate}`;
  return listUndoable(state).some(({ nonce }) => nonce === body.undoes)
    ? undefined
    : 'this decision is not there, or others were made on it since';
}

/** Restores the gate as it opened with all other decisions; later spending, raises and pauses stay. */
export function afterUndo(state: RunState, { body, actor, ts: at }: UnchainedEvent<UndoneBody>): RunState {
  const { opened } = state;
  const decision = state.decisions.find(({ nonce }) => nonce === body.undoes);
  if (opened === undefined || decision === undefined) return state;
  const gate = { ...opened.gate, ...computeHeldTime(state, at) };
  const undone = [...state.undone, { decision, actor, comment: body.comment, via: body.via, at }];
  const { budgetUsd, raises, length } = state;
  const facts = { ...opened.facts, budgetUsd, raises, length, undone, opened: { facts: opened.facts, gate } };
  const others = state.decisions.filter((one) => one.gate === gate.id && one !== decision);
  const open = others.reduce<RunState>(answeredBy, { ...facts, status: 'awaiting_approval', gate });
  if (state.status !== 'paused' || open.status !== 'awaiting_approval') return open;
  return { ...pickFacts(open), status: 'paused', prev: { status: open.status, gate: open.gate }, pause: state.pause };
}

/** Returns no held time while a gate still collects votes, because its deadline runs on. */
function computeHeldTime(state: RunState, at: string): { heldMs?: number } {
  const before = state.opened?.gate.heldMs;
  const waits = state.status === 'paused' ? state.prev.status === 'awaiting_approval' : 'gate' in state;
  const closed = waits ? undefined : state.decisions.at(-1)?.ts;
  if (closed === undefined) return before === undefined ? {} : { heldMs: before };
  return { heldMs: (before ?? 0) + Math.max(0, Date.parse(at) - Date.parse(closed)) };
}

function answeredBy(state: RunState, { actor, ts, ...decision }: GateDecision): RunState {
  return afterDecision(state, { body: { type: 'gate.decided', ...decision }, actor, ts });
}
