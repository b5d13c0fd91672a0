/** The one door to a gate: terminal, page, webhook and CI all come through here (docs/reviewing.md, "Answer"). */
import { HarnessError, isHarnessError } from '../errors.ts';
import { judgeDecision, type GateDecision } from './rules/gate.ts';
import type { DecisionRequest } from '../ports/decisions.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { fold } from '../run/fold.ts';
import type { RunState } from '../run/state.ts';
import { appendEvent } from '../run-folder/append-event.ts';
import { commitEdit } from './commit-edit.ts';
import type { ReadDeps } from '../ports/read-deps.ts';
import { currentDesignDir } from '../run/layout.ts';

export type Decision = DecisionRequest;

export type GatePermissions = {
  /** False only where the configuration asks for a second pair of eyes. */
  starterMayDecide: boolean;
  /** True while the model endpoint is on loopback: a policy never spends money or approves a real design. */
  policyMayDecide: boolean;
  /** Where reviewers are listed: `user:<name>` of each, and nobody else may decide. */
  deciders?: readonly string[];
  /** Who may also take back what another has decided. */
  owners?: readonly string[];
};

const MAX_RACES = 20;

/** Resolves with the recorded decision: the new one, or the earlier one of the same nonce. Refusals are `gate_refused`. */
export async function decideGate(asked: Decision, permissions: GatePermissions, deps: ReadDeps): Promise<GateDecision> {
  const run = await deps.store.open(asked.run);
  for (let race = 0; race < MAX_RACES; race += 1) {
    const state = fold(await run.journal.read());
    const answer = judge(run, state, asked, permissions);
    if (answer !== undefined) return answer;
    const recorded = await record(run, state, asked);
    if (recorded === undefined) continue;
    const { gate, decision, actor, comment, digest } = recorded;
    deps.progress({ type: 'gate', gate, outcome: decision, actor, comment, digest });
    return recorded;
  }
  throw new HarnessError('journal_conflict', `Run ${run.id} changes too fast to decide ${asked.gate}; try again.`, {
    retryable: true,
  });
}

function judge(
  run: RunFolder,
  state: RunState,
  asked: Decision,
  permissions: GatePermissions,
): GateDecision | undefined {
  const judgement = judgeDecision(run.id, state, { ...asked, digest: fullDigest(state, asked.digest) }, permissions);
  if (judgement.kind === 'again') return judgement.decision;
  if (judgement.kind === 'refuse') {
    const code =
      judgement.code === 'not_allowed' && asked.actor.startsWith('policy:') ? 'unsafe_policy' : 'gate_refused';
    throw new HarnessError(code, judgement.message, {
      details: { refusal: judgement.code, run: run.id, gate: asked.gate },
    });
  }
  return undefined;
}

/** A person copies the beginning of a digest; it stands for the open design only if it is long enough to be one. */
function fullDigest(state: RunState, digest: string): string {
  const known = [
    ...(state.status === 'awaiting_approval' ? [state.gate.digest] : []),
    ...state.decisions.map((decision) => decision.digest),
  ];
  return digest.length >= 12 ? (known.find((full) => full.startsWith(digest)) ?? digest) : digest;
}

/** Undefined when somebody appended first: then the whole question is asked again. */
async function record(run: RunFolder, state: RunState, asked: Decision): Promise<GateDecision | undefined> {
  const { gate, decision, comment, actor, via, nonce, shownMs } = asked;
  const digest = fullDigest(state, asked.digest);
  const edit = await editOf(run, state, asked);
  const body = {
    type: 'gate.decided' as const,
    ...{ gate, round: state.round, decision, digest, ...edit, comment, via, nonce },
    ...(shownMs === undefined ? {} : { shownMs: Math.max(0, Math.round(shownMs)) }),
  };
  try {
    const event = await appendEvent(run, state, body, actor);
    const { type: _type, ...told } = body;
    return { ...told, actor, ts: event.ts };
  } catch (error) {
    if (isHarnessError(error, 'journal_conflict')) return undefined;
    throw error;
  }
}

/** An edit is committed before the decision names it; an edit that loses the race stays unused beside the design. */
async function editOf(
  run: RunFolder,
  state: RunState,
  { decision, edits }: Decision,
): Promise<{ editedDigest?: string; editedDir?: string }> {
  if (decision !== 'edit_approve') return {};
  const { dir, digest } = await commitEdit(run, state.round, currentDesignDir(state, state.round), edits ?? {});
  return { editedDigest: digest, editedDir: dir };
}
