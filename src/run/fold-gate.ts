/** What a finished design and a decision on it make of a run. */
import { gateId, type GateDecision, type OpenGate } from '../gate/gate.ts';
import type { EventBody } from './event.ts';
import { enterRound } from './fold-round.ts';
import { factsOf, type DesignRound, type RunFacts, type RunState } from './state.ts';

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
  return { ...factsOf(state), designs, reviewerNotes: [], lastFailure: undefined, status: 'awaiting_approval', gate };
}

export function afterDecision(state: RunState, body: Decided, actor: string, ts: string): RunState {
  if (state.status !== 'awaiting_approval') return state;
  const { gate } = state;
  const { type: _type, editedDigest, ...told } = body;
  const decision: GateDecision = { ...told, ...(editedDigest === undefined ? {} : { editedDigest }), actor, ts };
  const facts = { ...factsOf(state), decisions: [...state.decisions, decision] };
  switch (body.decision) {
    case 'reject':
      return {
        ...facts,
        status: 'rejected',
        verdict: { status: 'rejected', because: 'reviewer', why: rejection(decision) },
      };
    case 'request_changes':
      return enterRound(facts, { kind: 'changes_requested', gate: gate.id, actor, comment: body.comment });
    default:
      return approved(facts, gate, decision);
  }
}

function rejection({ gate, actor, comment }: GateDecision): string {
  return `${actor} rejected the design at ${gate}${comment.trim() === '' ? '' : `: ${comment}`}.`;
}

/** An edit makes another design, which those who approved the old one have not seen: counting starts again. */
function approved(facts: RunFacts, gate: OpenGate, decision: GateDecision): RunState {
  const { actor, editedDigest } = decision;
  const approvals = editedDigest === undefined ? [...gate.approvals, actor] : [actor];
  const digest = editedDigest ?? gate.digest;
  const noted = { ...facts, reviewerNotes: notesWith(facts, decision) };
  if (approvals.length < gate.need)
    return { ...noted, status: 'awaiting_approval', gate: { ...gate, digest, approvals } };
  const designs = facts.designs.map((design) =>
    design.round === gate.round ? { ...design, approved: digest } : design,
  );
  return { ...noted, designs, iteration: facts.iterations.length + 1, status: 'executing', designDigest: digest };
}

function notesWith({ reviewerNotes }: RunFacts, { gate, actor, comment }: GateDecision): RunFacts['reviewerNotes'] {
  return comment.trim() === '' ? reviewerNotes : [...reviewerNotes, { gate, actor, comment }];
}
