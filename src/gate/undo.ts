/**
 * Undoes a decision while nothing was built on it and nothing was paid for
 * (docs/reviewing.md, "Undo").
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../errors.ts';
import { mayEverDecide, type GateDecision } from './rules/gate.ts';
import { isSameActor } from './rules/same-actor.ts';
import type { UndoRequest } from '../ports/decisions.ts';
import type { RunFolder, ReadDeps } from '../ports/run-store.ts';
import { stepName } from '../run/command.ts';
import { decide } from '../run/decide.ts';
import type { EventBody } from '../run/event.ts';
import type { RunState, UndoneDecision } from '../run/state.ts';
import { listUndoable } from '../run/undo.ts';
import { transact } from '../run-folder/snapshot.ts';
import type { GatePermissions } from './decide.ts';
import { handoffPath } from '../run/layout.ts';

type Refusal = 'not_allowed' | 'undo_closed' | 'nothing_to_undo';
/** Everything that an undo is judged by. */
type UndoCase = { run: RunFolder; state: RunState; permissions: GatePermissions };

/** Resolves with the undone decision; a repeated request resolves with the same. Refusals are `gate_refused`. */
export async function undoDecision(
  request: UndoRequest,
  permissions: GatePermissions,
  deps: ReadDeps,
): Promise<UndoneDecision> {
  const run = await deps.store.open(request.run);
  const { event, after } = await transact(
    run,
    async ({ state }) => {
      const decision = await findDecision({ run, state, permissions }, request);
      return decision && buildUndoEvent(request, decision);
    },
    request.actor,
  );
  const undone = event === undefined ? undoneBefore(after.state, request) : after.state.undone.at(-1);
  if (undone === undefined) throw new HarnessError('data_corrupt', `Run ${run.id} lost what it recorded as undone.`);
  if (event === undefined) return undone;
  // A worker may have written Execute's copy of the approval already, which must not be read after the undo.
  await rm(join(run.dir, handoffPath('init', undone.decision.round)), { force: true });
  const { actor, comment, gate } = request;
  deps.progress({ type: 'gate', gate, outcome: 'undone', actor, comment, digest: undone.decision.digest });
  return undone;
}

function undoneBefore(state: RunState, request: UndoRequest): UndoneDecision | undefined {
  const isMine = isDecisionBy(request.whose ?? request.actor);
  return state.undone.findLast(({ decision }) => decision.gate === request.gate && isMine(decision));
}

/** Resolves with undefined when the decision was undone before. */
async function findDecision(now: UndoCase, request: UndoRequest): Promise<GateDecision | undefined> {
  const { run, state, permissions } = now;
  const refuse = (refusal: Refusal, message: string) =>
    new HarnessError('gate_refused', message, { details: { refusal, run: run.id, gate: request.gate } });
  const denial = undoDenial(request, permissions);
  if (denial !== undefined) throw refuse('not_allowed', denial);
  const isMine = isDecisionBy(request.whose ?? request.actor);
  const candidates = listUndoable(state).filter(({ gate }) => gate === request.gate);
  const decision = candidates.findLast(isMine) ?? (mayTakeAny(request, permissions) ? candidates.at(-1) : undefined);
  if (decision === undefined) {
    const isAgain = undoneBefore(state, request) !== undefined;
    if (isAgain && !state.decisions.some((one) => one.gate === request.gate && isMine(one))) return undefined;
    throw refuse(...whyNot(now, request, candidates));
  }
  if (await hasPaid(run, state)) throw refuse('undo_closed', closedText(run, state));
  return decision;
}

const isDecisionBy =
  (actor: string) =>
  (decision: GateDecision): boolean =>
    isSameActor(decision.actor, actor);

function isOwner({ actor }: UndoRequest, { owners = [] }: GatePermissions): boolean {
  return owners.some((owner) => isSameActor(owner, actor));
}

function mayTakeAny(request: UndoRequest, permissions: GatePermissions): boolean {
  return request.whose === undefined && isOwner(request, permissions);
}

function undoDenial(request: UndoRequest, permissions: GatePermissions): string | undefined {
  const { actor, whose = actor } = request;
  if (!mayEverDecide(actor) || !actor.startsWith('user:'))
    return `Only a person (user:<name>) may take a decision back; ${JSON.stringify(actor)} is none.`;
  if (permissions.deciders?.every((one) => !isSameActor(one, actor)) === true)
    return `${actor} is no reviewer of this scenario: config/reviewers.yaml lists who is.`;
  if (isSameActor(whose, actor) || isOwner(request, permissions)) return undefined;
  return `${whose} decided, so only ${whose} may take it back, or an owner (role: owner in config/reviewers.yaml).`;
}

function whyNot(
  { run, state }: UndoCase,
  { gate, whose, actor }: UndoRequest,
  candidates: readonly GateDecision[],
): [Refusal, string] {
  const who = whose ?? actor;
  const [other] = candidates;
  const here = state.decisions.filter((one) => one.gate === gate);
  if (here.length === 0) return ['nothing_to_undo', `${gate} of run ${run.id} has no decision to take back.`];
  if (other !== undefined && !here.some(isDecisionBy(who))) {
    const whom = candidates.map((one) => one.actor).join(', ');
    return ['not_allowed', `${who} has not decided ${gate}; ${whom} has. Who decided may undo, or an owner.`];
  }
  if (other !== undefined) {
    const later = `${other.actor} has decided since (${other.decision.replace('_', ' ')})`;
    return ['undo_closed', `${later}: that has to be taken back first, by ${other.actor} or an owner.`];
  }
  return ['undo_closed', closedText(run, state)];
}

function closedText(run: RunFolder, state: RunState): string {
  const { status } = state;
  if (status === 'awaiting_approval')
    return `Too late to undo: ${state.gate.id} waits now, so say there what is wrong.`;
  const why =
    status === 'cancelled' || status === 'expired' || status === 'succeeded'
      ? `the run is ${status}`
      : 'the next step has begun to spend money on the decision';
  const left = `tandem pause ${run.id}, tandem cancel ${run.id}, or your comments at the next gate`;
  return `Too late to undo: ${why}.${'verdict' in state ? '' : ` What is left: ${left}.`}`;
}

/** A worker marks the journal before it pays; one of an earlier version does not, but its reservation is recorded. */
async function hasPaid(run: RunFolder, state: RunState): Promise<boolean> {
  const live = state.status === 'paused' || state.status === 'errored' ? { ...state, ...state.prev } : state;
  const command = decide(live);
  if (command.type !== 'design' && command.type !== 'iterate') return false;
  const prefix = `${stepName(command)}.`;
  return (await run.spending.list()).some(({ call }) => call.startsWith(prefix));
}

function buildUndoEvent({ gate, comment, via }: UndoRequest, { nonce, round }: GateDecision): EventBody {
  return { type: 'gate.undone', gate, round, undoes: nonce, comment, via };
}
