/** Folds a finished design, and a decision on it, into the state of the run. */
import { gateId, type GateDecision, type OpenGate } from '../gate/rules/gate.ts';
import type { EventBody, UnchainedEvent } from './event.ts';
import { pickFacts, type DesignRound, type RunFacts, type RunState, type RoundReason } from './state.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { judgeNewRound } from './stop-rules.ts';

type Decided = Extract<EventBody, { type: 'gate.decided' }>;

export function openGate(state: RunState, body: Extract<EventBody, { type: 'design.done' }>, at: string): RunState {
  const { round, digest, packDigest, rules, need } = body;
  const design: DesignRound = { round, digest, packDigest, rules };
  const gate: OpenGate = {
    id: gateId(round),
    round,
    digest,
    packDigest,
    need,
    approvals: [],
    openedAt: at,
    reminders: 0,
  };
  const designs = [...state.designs, design];
  const facts = { ...pickFacts(state), designs, reviewerNotes: [], lastFailure: undefined, opened: undefined };
  return { ...facts, opened: { facts, gate }, status: 'awaiting_approval', gate };
}

export function afterDecision(state: RunState, { body, actor, ts }: UnchainedEvent<Decided>): RunState {
  if (state.status !== 'awaiting_approval') return state;
  const { gate } = state;
  const { type: _type, ...decided } = body;
  const decision: GateDecision = omitUndefined({ ...decided, actor, ts });
  const facts = { ...pickFacts(state), decisions: [...state.decisions, decision] };
  switch (body.decision) {
    case 'reject':
      return {
        ...facts,
        status: 'rejected',
        verdict: { status: 'rejected', because: 'reviewer', why: formatRejection(decision) },
      };
    case 'request_changes':
      return enterRound(facts, { kind: 'changes_requested', gate: gate.id, actor, comment: body.comment });
    default:
      return applyApproval(facts, gate, decision);
  }
}

function formatRejection({ gate, actor, comment }: GateDecision): string {
  return `${actor} rejected the design at ${gate}${comment.trim() === '' ? '' : `: ${comment}`}.`;
}

/** Restarts the count of approvals after an edit, which makes a design that earlier approvers have not seen. */
function applyApproval(facts: RunFacts, gate: OpenGate, decision: GateDecision): RunState {
  const { actor, editedDigest, editedDir } = decision;
  const approvals = editedDigest === undefined ? [...gate.approvals, actor] : [actor];
  const digest = editedDigest ?? gate.digest;
  const edited = facts.designs.map((design) =>
    design.round === gate.round && editedDir !== undefined ? { ...design, editedDir } : design,
  );
  const noted = { ...facts, designs: edited, reviewerNotes: appendReviewerNote(facts, decision) };
  if (approvals.length < gate.need)
    return { ...noted, status: 'awaiting_approval', gate: { ...gate, digest, approvals } };
  const designs = edited.map((design) => (design.round === gate.round ? { ...design, approved: digest } : design));
  return { ...noted, designs, iteration: facts.iterations.length + 1, status: 'executing', designDigest: digest };
}

/** Notes an edit like a comment for both agents, because an agent that does not know of it would undo it. */
function appendReviewerNote({ reviewerNotes }: RunFacts, decision: GateDecision): RunFacts['reviewerNotes'] {
  const { gate, actor, comment, editedDir } = decision;
  const edit =
    editedDir === undefined
      ? []
      : [`I edited the design before approving it: ${editedDir} is what counts, keep my edit.`];
  const text = [...(comment.trim() === '' ? [] : [comment]), ...edit].join('\n');
  return text === '' ? reviewerNotes : [...reviewerNotes, { gate, actor, comment: text }];
}

export function enterRound(facts: RunFacts, reason: RoundReason): RunState {
  const round = facts.round + 1;
  const verdict = judgeNewRound(facts.origin.limits, round, facts.iterations.at(-1));
  if (verdict !== undefined) return { ...facts, status: verdict.status, verdict };
  return { ...facts, status: 'designing', round, reason, lastFailure: undefined };
}
