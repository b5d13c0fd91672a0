/** The decisions port: lets a review page send decisions to `decideGate`, and read and compare designs. */
import type { DecisionKind, GateDecision } from '../gate/rules/gate.ts';
import type { ReviewPack } from '../gate/rules/review-pack.ts';
import type { BusinessRules, FormatSpec } from '../scenario/design.ts';
import type { UndoneDecision } from '../run/state.ts';
import type { RunFolder } from './run-store.ts';

export type DecisionRequest = {
  /** Run id or path of the run folder. */
  run: string;
  gate: string;
  /** The whole digest of the design that was shown, or at least its first 12 characters. */
  digest: string;
  decision: DecisionKind;
  comment: string;
  /** Whole new texts of design files by name, with `edit_approve` only. */
  edits?: Readonly<Record<string, string>>;
  /** `user:<name>` or `policy:<name>`; the caller has verified it. */
  actor: string;
  via: string;
  nonce: string;
  /** `accept`, to approve although the machine's checks found something or the estimate passes the cap. */
  confirm?: string;
  /** Milliseconds that the answered page had been open. */
  shownMs?: number;
};

/**
 * Contract: resolves with the recorded decision, and with the earlier one for the same nonce. `gate_refused` gives the
 * reason in `details.refusal`; edits that make no valid design are refused with `details.problems`.
 */
export type Decide = (request: DecisionRequest) => Promise<GateDecision>;

export type UndoRequest = {
  /** Run id or path of the run folder. */
  run: string;
  gate: string;
  /** Person whose decision is undone; default: the caller's own, or the newest one for an owner without one. */
  whose?: string;
  comment: string;
  /** `user:<name>`; the caller has verified it. */
  actor: string;
  via: string;
};

/**
 * Contract: the gate waits again when this resolves; a repeated call gives the same answer. `gate_refused` has the
 * reason in `details.refusal`.
 */
export type Undo = (request: UndoRequest) => Promise<UndoneDecision>;

export type RunOrder = {
  /** Path of the run folder. */
  run: string;
  /** `retry` goes on with a run that is paused or errored. */
  what: 'pause' | 'cancel' | 'retry';
  comment: string;
  /** `user:<name>`; the caller has verified it. */
  actor: string;
};

/** Contract: the order is an event of the run when this resolves; `usage` says why it cannot be given now. */
export type OrderRun = (order: RunOrder) => Promise<void>;

/** A design as read from its files. */
export type DesignContent = { dir: string; rules: BusinessRules; format: FormatSpec; files: Record<string, string> };

/** Changes from one design to another: in rules, in sentences about the format, and as a unified diff. */
export type DesignChange = Omit<ReviewPack['since'], 'round'>;

export interface Designs {
  /** Reads a design by its folder relative to the run. Contract: `data_corrupt` when it cannot be read. */
  read(run: RunFolder, dir: string): Promise<DesignContent>;
  compare(run: RunFolder, from: string, to: string): Promise<DesignChange>;
  /** Checks edits of the design in `dir` without writing to the run; edits with problems would be refused. */
  check(run: RunFolder, dir: string, edits: Readonly<Record<string, string>>): Promise<EditCheck>;
}

export type EditCheck = { problems: string[]; change?: DesignChange };
