/** The state of a run: the facts of its journal, and one of eleven statuses. */
import type { GateDecision, OpenGate } from '../gate/rules/gate.ts';
import type { Layer1Problem } from '../scenario/handoff.ts';
import type { EventBody } from './event.ts';
import type { RunVerdict } from './verdict.ts';

type BodyOf<Type extends EventBody['type']> = Omit<Extract<EventBody, { type: Type }>, 'type'>;

/** What the run was created from, when and by whom. */
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
  /** The folder of the edited design, when a reviewer has edited it. */
  editedDir?: string;
};

/** Why the current design round exists, for Init and the reviewer. */
export type RoundReason =
  | { kind: 'first' }
  | { kind: 'returned'; iteration: number; outputDir: string; problems: readonly Layer1Problem[] }
  | { kind: 'changes_requested'; gate: string; actor: string; comment: string };

/** A decision that was taken back: it counts nowhere, and its nonce can never be used again. */
export type UndoneDecision = { decision: GateDecision; actor: string; comment: string; via: string; at: string };

/** The newest gate as it opened: the state that an undo restores, until the next step has made a paid call. */
export type OpenedGate = { facts: RunFacts; gate: OpenGate };

export type ReviewerNote = { gate: string; actor: string; comment: string };

export type StepFailure = BodyOf<'step.failed'> & { at: string };

/** Part of every state. */
export type RunFacts = {
  origin: RunOrigin;
  startedBy: string;
  /** Events folded so far: the `expectedLength` of the next append. */
  length: number;
  /** 0 before the run is started. */
  round: number;
  /** The iteration that runs, or else the last one that ended; 0 before the first. */
  iteration: number;
  iterations: readonly Iteration[];
  designs: readonly DesignRound[];
  decisions: readonly GateDecision[];
  undone: readonly UndoneDecision[];
  opened: OpenedGate | undefined;
  reason: RoundReason;
  /** Comments of the approvals of the newest design: Execute must read them, and Init when the design comes back. */
  reviewerNotes: readonly ReviewerNote[];
  /** The cap on money now: the brief's, and every raise on top. */
  budgetUsd: number;
  raises: readonly { actor: string; usd: number; at: string }[];
  /** The last failure of the step that is being tried; cleared when the run moves on. */
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
  | { status: 'succeeded'; verdict: RunVerdict }
  | { status: 'failed'; verdict: RunVerdict }
  | { status: 'rejected'; verdict: RunVerdict }
  | { status: 'expired'; verdict: RunVerdict }
  | { status: 'cancelled'; verdict: RunVerdict };

/** Discriminated by `status`. */
export type RunState = RunFacts & Phase;

export const LIVE_STATUSES = ['created', 'designing', 'awaiting_approval', 'executing'] as const;

/** The facts without what belongs to one state only, so that a change of state leaves nothing behind. */
export function factsOf(state: RunState): RunFacts {
  const { origin, startedBy, length, round, iteration, iterations, designs } = state;
  const { decisions, undone, opened, reason, reviewerNotes, budgetUsd, raises, lastFailure } = state;
  const story = { origin, startedBy, length, round, iteration, iterations, designs };
  return { ...story, decisions, undone, opened, reason, reviewerNotes, budgetUsd, raises, lastFailure };
}
