/**
 * The same door the other way: a decision is taken back while nothing was built on it and nothing was paid for
 * (docs/reviewing.md, "Second thoughts").
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError, isHarnessError } from '../errors.ts';
import { mayEverDecide, type GateDecision } from './rules/gate.ts';
import { isSameActor } from './rules/same-actor.ts';
import type { UndoRequest } from '../ports/decisions.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { stepName } from '../run/command.ts';
import { decide } from '../run/decide.ts';
import { fold } from '../run/fold.ts';
import type { RunState, UndoneDecision } from '../run/state.ts';
import { undoable } from '../run/undo.ts';
import { appendEvent } from '../run-folder/append-event.ts';
import type { GatePermissions } from './decide.ts';
import type { ReadDeps } from '../ports/read-deps.ts';
import { handoffPath } from '../run/layout.ts';

const MAX_RACES = 20;

type Refusal = 'not_allowed' | 'undo_closed' | 'nothing_to_undo';

/** Resolves with what was taken back; asked again, with the same. Refusals are `gate_refused`. */
export async function undoDecision(
  asked: UndoRequest,
  permissions: GatePermissions,
  deps: ReadDeps,
): Promise<UndoneDecision> {
  const run = await deps.store.open(asked.run);
  for (let race = 0; race < MAX_RACES; race += 1) {
    const state = fold(await run.journal.read());
    const found = await findDecision(run, state, asked, permissions);
    if (found.kind === 'again') return found.undone;
    const at = await record(run, state, asked, found.decision);
    if (at === undefined) continue;
    // A worker that was about to begin has told Execute of the approval already: nobody may read that now.
    await rm(join(run.dir, handoffPath('init', found.decision.round)), { force: true });
    const { actor, comment, via, gate } = asked;
    deps.progress({ type: 'gate', gate, outcome: 'undone', actor, comment, digest: found.decision.digest });
    return { decision: found.decision, actor, comment, via, at };
  }
  throw new HarnessError('journal_conflict', `Run ${run.id} changes too fast to undo at ${asked.gate}; try again.`, {
    retryable: true,
  });
}

type Found = { kind: 'undo'; decision: GateDecision } | { kind: 'again'; undone: UndoneDecision };

async function findDecision(
  run: RunFolder,
  state: RunState,
  asked: UndoRequest,
  permissions: GatePermissions,
): Promise<Found> {
  const refuse = (refusal: Refusal, message: string) =>
    new HarnessError('gate_refused', message, { details: { refusal, run: run.id, gate: asked.gate } });
  const barred = undoDenial(asked, permissions);
  if (barred !== undefined) throw refuse('not_allowed', barred);
  const isMine = isOf(asked.whose ?? asked.actor);
  const candidates = undoable(state).filter(({ gate }) => gate === asked.gate);
  const decision = candidates.findLast(isMine) ?? (mayTakeAny(asked, permissions) ? candidates.at(-1) : undefined);
  if (decision === undefined) {
    const before = state.undone.findLast((one) => one.decision.gate === asked.gate && isMine(one.decision));
    if (before !== undefined && !state.decisions.some((one) => one.gate === asked.gate && isMine(one)))
      return { kind: 'again', undone: before };
    throw refuse(...whyNot(run, state, asked, candidates));
  }
  if (await hasPaid(run, state)) throw refuse('undo_closed', closedText(run, state));
  return { kind: 'undo', decision };
}

const isOf =
  (actor: string) =>
  (decision: GateDecision): boolean =>
    isSameActor(decision.actor, actor);

function isOwner({ actor }: UndoRequest, { owners = [] }: GatePermissions): boolean {
  return owners.some((owner) => isSameActor(owner, actor));
}

function mayTakeAny(asked: UndoRequest, permissions: GatePermissions): boolean {
  return asked.whose === undefined && isOwner(asked, permissions);
}

function undoDenial(asked: UndoRequest, permissions: GatePermissions): string | undefined {
  const { actor, whose = actor } = asked;
  if (!mayEverDecide(actor) || !actor.startsWith('user:'))
    return `Only a person (user:<name>) may take a decision back; ${JSON.stringify(actor)} is none.`;
  if (permissions.deciders?.every((one) => !isSameActor(one, actor)) === true)
    return `${actor} is no reviewer of this scenario: config/reviewers.yaml lists who is.`;
  if (isSameActor(whose, actor) || isOwner(asked, permissions)) return undefined;
  return `${whose} decided, so only ${whose} may take it back, or an owner (role: owner in config/reviewers.yaml).`;
}

function whyNot(
  run: RunFolder,
  state: RunState,
  { gate, whose, actor }: UndoRequest,
  candidates: readonly GateDecision[],
): [Refusal, string] {
  const who = whose ?? actor;
  const [other] = candidates;
  const here = state.decisions.filter((one) => one.gate === gate);
  if (here.length === 0) return ['nothing_to_undo', `${gate} of run ${run.id} has no decision to take back.`];
  if (other !== undefined && !here.some(isOf(who))) {
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

/** Workers mark the journal before they pay; one of an earlier version does not, but its reservation is on the books. */
async function hasPaid(run: RunFolder, state: RunState): Promise<boolean> {
  const live = state.status === 'paused' || state.status === 'errored' ? { ...state, ...state.prev } : state;
  const command = decide(live);
  if (command.type !== 'design' && command.type !== 'iterate') return false;
  const prefix = `${stepName(command)}.`;
  return (await run.spending.list()).some(({ call }) => call.startsWith(prefix));
}

/** When it was recorded; undefined when somebody appended first: then the whole question is asked again. */
async function record(
  run: RunFolder,
  state: RunState,
  { gate, comment, via, actor }: UndoRequest,
  { nonce, round }: GateDecision,
): Promise<string | undefined> {
  try {
    const body = { type: 'gate.undone' as const, gate, round, undoes: nonce, comment, via };
    return (await appendEvent(run, state, body, actor)).ts;
  } catch (error) {
    if (isHarnessError(error, 'journal_conflict')) return undefined;
    throw error;
  }
}
