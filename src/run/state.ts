/** The state of a run: the facts of its journal, and one of eleven statuses. */
import type { GateDecision, OpenGate } from '../gate/rules/gate.ts';
import type { Layer1Problem } from '../scenario/handoff.ts';
import type { EventBody } from './event.ts';
import type { RunOutcome } from './run-outcome.ts';

export type BodyOf<Type extends EventBody['type']> = Omit<Extract<EventBody, { type: Type }>, 'type'>;

/** The scenario and setup that the run was created from, with the time. */
export type RunOrigin = BodyOf<'run.created'> & { at: string };

/** One finished iteration; `returned` holds the problems that it sent back to Init. */
export type Iteration = BodyOf<'iteration.done'> & { returned?: readonly Layer1Problem[] };

/** One design by Init; `approved` is the digest that Execute works under, which an edit may have changed. */
export type DesignRound = {
  round: number;
  digest: string;
  packDigest: string;
  rules: number;
  approved?: string;
  /** The folder of the edited design, set when a reviewer edited it. */
  editedDir?: string;
};

/** The reason for the current design round, for Init and the reviewer. */
export type RoundReason =
  | { kind: 'first' }
  | { kind: 'returned'; iteration: number; outputDir: string; problems: readonly Layer1Problem[] }
  | { kind: 'changes_requested'; gate: string; actor: string; comment: string };

/** A decision that was undone: it counts nowhere, and its nonce can never be used again. */
export type UndoneDecision = { decision: GateDecision; actor: string; comment: string; via: string; at: string };

/** The newest gate as it opened; an undo restores this state until the next step makes a paid call. */
export type OpenedGate = { facts: RunFacts; gate: OpenGate };

export type ReviewerNote = { gate: string; actor: string; comment: string };

export type StepFailure = BodyOf<'step.failed'> & { at: string };

/** The facts that every state has. */
export type RunFacts = {
  origin: RunOrigin;
  startedBy: string;
  /** The number of folded events, which is the `expectedLength` of the next append. */
  length: number;
  /** The round of design; 0 before the run is started. */
  round: number;
  /** The running iteration, or else the last one that ended; 0 before the first. */
  iteration: number;
  iterations: readonly Iteration[];
  designs: readonly DesignRound[];
  decisions: readonly GateDecision[];
  undone: readonly UndoneDecision[];
  opened: OpenedGate | undefined;
  reason: RoundReason;
  /** Comments of the newest design's approvals, for Execute, and for Init when the design comes back. */
  reviewerNotes: readonly ReviewerNote[];
  /** The current cap on money: the cap of the brief with all raises. */
  budgetUsd: number;
  raises: readonly { actor: string; usd: number; at: string }[];
  /** The last failure of the current step; cleared when the run moves on. */
  lastFailure: StepFailure | undefined;
};

export type LivePhase =
  | { status: 'created' }
  | { status: 'designing' }
  | { status: 'awaiting_approval'; gate: OpenGate }
  | { status: 'executing'; designDigest: string };

export type Phase =
  | LivePhase
  | { status: 'paused'; prev: LivePhase; pause: BodyOf<'run.paused'> & { actor: string; at: string } }
  | { status: 'errored'; prev: LivePhase; failure: StepFailure }
  | { status: 'succeeded'; verdict: RunOutcome }
  | { status: 'failed'; verdict: RunOutcome }
  | { status: 'rejected'; verdict: RunOutcome }
  | { status: 'expired'; verdict: RunOutcome }
  | { status: 'cancelled'; verdict: RunOutcome };

/** The state of a run, discriminated by `status`. */
export type RunState = RunFacts & Phase;

export const LIVE_STATUSES = ['created', 'designing', 'awaiting_approval', 'executing'] as const;

/** Returns the common facts without the fields of one status, so that a change of status leaves nothing behind. */
export function pickFacts(state: RunState): RunFacts {
  const { origin, startedBy, length, round, iteration, iterations, designs } = state;
  const { decisions, undone, opened, reason, reviewerNotes, budgetUsd, raises, lastFailure } = state;
  const story = { origin, startedBy, length, round, iteration, iterations, designs };
  return { ...story, decisions, undone, opened, reason, reviewerNotes, budgetUsd, raises, lastFailure };
}
