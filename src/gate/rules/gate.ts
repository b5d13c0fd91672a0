/** Defines an open gate (HITL-1) and judges whether a decision fits it. */
import { isSameVoter } from './quorum.ts';
import { isOwnOrOfOwnAgent, isSameActor } from './same-actor.ts';

export type DecisionKind = 'approve' | 'edit_approve' | 'request_changes' | 'reject';

/** A gate that waits for a person. */
export type OpenGate = {
  /** The gate's id; it contains the round, so that an answer cannot apply to another round. */
  id: string;
  round: number;
  /** The digest of the design to decide on; an edit that lacks approvals replaces it. */
  digest: string;
  packDigest: string;
  need: number;
  /** The distinct actors who approved exactly `digest`. */
  approvals: readonly string[];
  openedAt: string;
  reminders: number;
  /** The time for which the gate stood answered before an undo; no deadline counts it. */
  heldMs?: number;
};

/** A decision as the journal records it. */
export type GateDecision = {
  gate: string;
  round: number;
  decision: DecisionKind;
  digest: string;
  editedDigest?: string;
  editedDir?: string;
  /** How long the decider had the page open, if a page was used. */
  shownMs?: number;
  comment: string;
  actor: string;
  via: string;
  nonce: string;
  ts: string;
};

/** A decision to be checked before it is recorded. */
export type DecisionInput = Pick<GateDecision, 'gate' | 'digest' | 'decision' | 'comment' | 'actor' | 'nonce'> & {
  /** `accept`: approves although the pack has doubts. */
  confirm?: string;
};

/** The word that a person must write to approve despite a doubt. */
export const CONFIRM_WORD = 'accept';

/** The part of a run's state that a decision is judged by. */
export type GateContext = {
  status: string;
  gate?: OpenGate;
  decisions: readonly GateDecision[];
  /** Decisions that were undone; absent means none. */
  undone?: readonly { decision: GateDecision }[];
  startedBy: string;
};

/** The configured permissions to decide, in addition to people who did not start the run. */
export type GateRules = {
  /** False only where the configuration asks for a second pair of eyes. */
  starterMayDecide: boolean;
  /** True while the model endpoint is on loopback: a policy never spends money or approves a real design. */
  policyMayDecide: boolean;
  /** `user:<name>` of each listed reviewer; only they may decide. */
  deciders?: readonly string[];
};

/** Everything that a decision is judged by. */
export type GateCase = {
  /** Names the run in refusals. */
  run: string;
  state: GateContext;
  rules: GateRules;
  /** Reasons from the waiting gate's pack to look twice before approving. */
  doubts: readonly string[];
};

export type GateRefusal =
  | 'no_open_gate'
  | 'stale_gate'
  | 'other_digest'
  | 'not_allowed'
  | 'already_approved'
  | 'comment_missing'
  | 'comment_too_long'
  | 'unconfirmed'
  | 'nonce_reused'
  | 'nonce_missing';

export type Judgement =
  | { kind: 'accept' }
  /** The nonce was answered before; `decision` is the answer that it got. */
  | { kind: 'again'; decision: GateDecision }
  | { kind: 'refuse'; code: GateRefusal; message: string };

/** `HITL-1.r2`. */
export function gateId(round: number): string {
  return `HITL-1.r${round}`;
}

/** Actors that may decide: people and named policies. As an allow-list it rejects every spelling of `agent:`. */
const DECIDERS = /^(user|policy):[^\s\p{C}:]{1,100}$/u;

export function mayEverDecide(actor: string): boolean {
  return DECIDERS.test(actor);
}

/** Judges whether this decision may be recorded now; it is pure, so that it can run again after every lost race. */
export function judgeDecision(request: DecisionInput, { run, state, rules, doubts }: GateCase): Judgement {
  return (
    answeredBefore(state, request) ??
    actorRefusal(state, request, rules) ??
    gateFault(run, state, request) ??
    contentFault(run, state, request) ??
    doubtFault(run, request, doubts) ?? { kind: 'accept' }
  );
}

function answeredBefore(state: GateContext, request: DecisionInput): Judgement | undefined {
  if (request.nonce === '')
    return refuseDecision('nonce_missing', 'A decision needs a nonce: make a fresh one for every decision.');
  const taken = 'This decision was recorded and taken back since: read the gate again, then decide.';
  if (state.undone?.some(({ decision }) => decision.nonce === request.nonce) === true)
    return refuseDecision('nonce_reused', taken);
  const earlier = state.decisions.find((decision) => decision.nonce === request.nonce);
  if (earlier === undefined) return undefined;
  const fields = ['gate', 'digest', 'decision', 'comment', 'actor'] as const;
  if (fields.every((field) => earlier[field] === request[field])) return { kind: 'again', decision: earlier };
  return refuseDecision('nonce_reused', 'This nonce belongs to another decision: make a fresh one for every decision.');
}

function actorRefusal(state: GateContext, { actor }: DecisionInput, rules: GateRules): Judgement | undefined {
  const fault = findActorFault(state, actor, rules);
  return fault === undefined ? undefined : refuseDecision('not_allowed', fault);
}

/** Explains why this actor may not decide, whichever design waits. */
export function findActorFault(
  { startedBy }: Pick<GateContext, 'startedBy'>,
  actor: string,
  { policyMayDecide, deciders, starterMayDecide }: GateRules,
): string | undefined {
  if (!mayEverDecide(actor))
    return `Only a person (user:<name>) or a named policy (policy:<name>) may decide a gate; ${JSON.stringify(actor)} is neither.`;
  if (actor.startsWith('policy:') && !policyMayDecide)
    return `${actor} may not decide here: a person must, or allow it with --on-gate auto:<policy>.`;
  if (actor.startsWith('user:') && deciders?.every((one) => !isSameActor(one, actor)) === true)
    return `${actor} is no reviewer of this scenario: config/reviewers.yaml lists who is.`;
  if (!starterMayDecide && isOwnOrOfOwnAgent(actor, startedBy))
    return `${actor} started this run, and who starts a run may not decide its gates: ask a colleague.`;
  return undefined;
}

/** The longest comment in characters, the same on every interface. */
export const MOST_COMMENT = 20_000;

/** The fewest characters of a digest; fewer could identify two designs. */
export const LEAST_DIGEST = 12;

function gateFault(run: string, state: GateContext, { gate }: DecisionInput): Judgement | undefined {
  const open = state.gate;
  if (open !== undefined && open.id === gate) return undefined;
  const past = state.decisions.findLast((decision) => decision.gate === gate);
  const history =
    past === undefined ? '' : ` ${gate} was answered by ${past.actor} with ${past.decision} at ${past.ts}.`;
  if (open === undefined) {
    const remedy = state.status === 'paused' ? `Resume it first: tandem resume ${run}.` : `See tandem status ${run}.`;
    const why = `No gate of run ${run} waits for a decision; the run is ${state.status}.`;
    return refuseDecision('no_open_gate', `${why}${history} ${remedy}`);
  }
  const now = `The gate that waits is ${open.id}: read it with tandem gates show ${run}, then decide that one.`;
  return refuseDecision('stale_gate', `${gate} is not open in run ${run}.${history} ${now}`);
}

/** Explains why a digest is not that of the open design. */
function digestFault(digest: string): string {
  if (!/^[0-9a-f]+$/.test(digest)) return `"${digest}" is no digest: it holds more than the characters 0-9 and a-f.`;
  if (digest.length < LEAST_DIGEST)
    return `The digest "${digest}" is too short: give its first ${LEAST_DIGEST} characters or more.`;
  return `The design changed while you were reading (you decided on ${digest}), or the digest is mistyped.`;
}

function contentFault(run: string, { gate }: GateContext, request: DecisionInput): Judgement | undefined {
  if (gate === undefined) return undefined;
  if (gate.digest !== request.digest) {
    const remedy = `Read it again with tandem gates show ${run} and decide on digest ${gate.digest}.`;
    return refuseDecision('other_digest', `${digestFault(request.digest)} ${remedy}`);
  }
  if (request.comment.length > MOST_COMMENT) {
    const { length } = request.comment;
    return refuseDecision(
      'comment_too_long',
      `The comment is too long: ${length.toLocaleString('en')} of at most ${MOST_COMMENT.toLocaleString('en')} characters. Both agents read all of it: name rules and places, and leave the rest out.`,
    );
  }
  const example = 'Say what must change: --comment "R4 is unclear: from when do the 30 days run?"';
  if (request.decision === 'request_changes' && request.comment.trim() === '')
    return refuseDecision('comment_missing', example);
  const voice = request.decision === 'approve' ? isSameVoter(gate, request.actor) : undefined;
  if (voice !== undefined) {
    const left = gate.need - gate.approvals.length;
    const own = isSameActor(voice, request.actor) ? '' : `; ${request.actor} would be the same voice`;
    return refuseDecision(
      'already_approved',
      `${voice} has approved ${gate.id} already${own}; ${left} more must, each another person: tandem gates approve ${run} --digest ${gate.digest.slice(0, 16)}.`,
    );
  }
  return undefined;
}

/** A policy reads no doubts and confirms none: it decides only on loopback, and the journal names it. */
function doubtFault(
  run: string,
  { decision, actor, confirm = '' }: DecisionInput,
  doubts: readonly string[],
): Judgement | undefined {
  if (!decision.endsWith('approve') || actor.startsWith('policy:') || doubts.length === 0) return undefined;
  if (confirm.trim().toLowerCase() === CONFIRM_WORD) return undefined;
  const faces = `write ${CONFIRM_WORD} in the field of the page ("confirm" in the API, with --${CONFIRM_WORD} on the command line)`;
  const why = `${doubts.join(' ')} tandem gates show ${run} says what.`;
  return refuseDecision('unconfirmed', `${why} To approve all the same, ${faces}.`);
}

function refuseDecision(code: GateRefusal, message: string): Judgement {
  return { kind: 'refuse', code, message };
}
