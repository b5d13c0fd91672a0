/** Records a decision at a gate: terminal, page, API and CI all use this function (docs/reviewing.md, "Answer"). */
import { HarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { judgeDecision, LEAST_DIGEST, type GateDecision, type GateRules } from './rules/gate.ts';
import type { DecisionRequest } from '../ports/decisions.ts';
import type { RunFolder, ReadDeps } from '../ports/run-store.ts';
import type { EventBody } from '../run/event.ts';
import type { RunState } from '../run/state.ts';
import { transact } from '../run-folder/snapshot.ts';
import { listApprovalDoubts } from '../report/gate/approval-doubts.ts';
import { readPack } from './read-pack.ts';
import { currentDesignDir } from '../run/layout.ts';

export type Decision = DecisionRequest;

/** `owners` may also undo the decision of another person. */
export type GatePermissions = GateRules & { owners?: readonly string[] };

/** Resolves with the recorded decision, which a repeated nonce gets again. Refusals are `gate_refused`. */
export async function decideGate(
  request: Decision,
  permissions: GatePermissions,
  deps: ReadDeps,
): Promise<GateDecision> {
  const run = await deps.store.open(request.run);
  const { event, after } = await transact(
    run,
    async ({ state }) =>
      (await isRecorded(run, state, { request, permissions })) ? undefined : buildDecisionEvent(run, state, request),
    request.actor,
  );
  const recorded = after.state.decisions.find(({ nonce }) => nonce === request.nonce);
  if (recorded === undefined) throw new HarnessError('data_corrupt', `Run ${run.id} lost the decision it recorded.`);
  const { gate, decision, actor, comment, digest } = recorded;
  if (event !== undefined) deps.progress({ type: 'gate', gate, outcome: decision, actor, comment, digest });
  return recorded;
}

/** Returns true when the same answer is on record already. */
async function isRecorded(
  run: RunFolder,
  state: RunState,
  { request, permissions: rules }: { request: Decision; permissions: GatePermissions },
): Promise<boolean> {
  const decision = { ...request, digest: fullDigest(state, request.digest) };
  const doubts = await openDoubts(run, state, request);
  const judgement = judgeDecision(decision, { run: run.id, state, rules, doubts });
  if (judgement.kind !== 'refuse') return judgement.kind === 'again';
  const isUnsafe = judgement.code === 'not_allowed' && request.actor.startsWith('policy:');
  throw new HarnessError(isUnsafe ? 'unsafe_policy' : 'gate_refused', judgement.message, {
    details: { refusal: judgement.code, run: run.id, gate: request.gate },
  });
}

/** Reads the pack only where its doubts count: when a person approves at the gate that waits. */
async function openDoubts(run: RunFolder, state: RunState, { gate, decision, actor }: Decision): Promise<string[]> {
  const isOpen = state.status === 'awaiting_approval' && state.gate.id === gate;
  if (!isOpen || !decision.endsWith('approve') || actor.startsWith('policy:')) return [];
  return listApprovalDoubts(await readPack(run, gate));
}

/** Completes the beginning of a digest that a person copied; a prefix that is too short identifies no design. */
function fullDigest(state: RunState, digest: string): string {
  const known = [
    ...(state.status === 'awaiting_approval' ? [state.gate.digest] : []),
    ...state.decisions.map((decision) => decision.digest),
  ];
  return digest.length >= LEAST_DIGEST ? (known.find((full) => full.startsWith(digest)) ?? digest) : digest;
}

async function buildDecisionEvent(run: RunFolder, state: RunState, request: Decision): Promise<EventBody> {
  const { gate, decision, comment, via, nonce, shownMs } = request;
  const edit = await commitDecisionEdit(run, state, request);
  return omitUndefined({
    type: 'gate.decided' as const,
    ...{ gate, round: state.round, decision, digest: fullDigest(state, request.digest), ...edit, comment, via, nonce },
    shownMs: shownMs === undefined ? undefined : Math.max(0, Math.round(shownMs)),
  });
}

/** Commits the edit before the decision names it; an edit that loses the race stays unused next to the design. */
async function commitDecisionEdit(
  run: RunFolder,
  state: RunState,
  { decision, edits }: Decision,
): Promise<{ editedDigest?: string; editedDir?: string }> {
  if (decision !== 'edit_approve') return {};
  const { round } = state;
  const { commitEdit } = await import('./commit-edit.ts');
  const { dir, digest } = await commitEdit(run, { round, from: currentDesignDir(state, round) }, edits ?? {});
  return { editedDigest: digest, editedDir: dir };
}
