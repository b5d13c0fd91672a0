/** The plan of one compaction, decided before any model call. */
import type { HarnessError } from '../../errors.ts';
import type { PassDecision } from '../../transcript/compaction-receipt.ts';
import type { ContextSnapshot } from '../context-snapshot.ts';
import type { Core } from '../core.ts';
import type { Pressure } from './pressure.ts';

/** The reason for the compaction, and the gate that still needs a decision, known only to the caller (S0.18). */
export type CompactionReason = {
  reason: string;
  openGate?: string;
  /** False: a cut of edits alone was refused, so something must be summarised. */
  edits?: false;
};

/** A cut on the first message of a unit; the entry made from it is self-contained. */
export type Cut = {
  type: 'cut';
  occasion: CompactionReason;
  pressure: Pressure;
  /** Empty when nothing is cut off: items leave, or retained messages are edited. */
  coversThrough: string;
  keepsFrom?: string;
  shortened: Record<string, string>;
  /** Whole texts of the shortened results, for a caller that spills them to files. */
  spill: { entry: string; call: string; text: string }[];
  stepsSummarised: number;
  stepsKept: number;
  decisions: PassDecision[];
  /** The writer of the summary; with `code` no model is called, and `fallback` makes the entry. */
  by: 'model' | 'server' | 'code';
  inputs: Record<string, Record<string, unknown>>;
  left: string[];
  /** Entries of `left` that belong to the conversation: they are summarised first. Injected entries just leave. */
  named: string[];
  pointers: Record<string, string>;
  /** Earlier summaries that stay unchanged before the new one; empty when it replaces them (S1.7). */
  archives: string[];
  /** Tokens that a step adds, and the goal for it. */
  growth: number;
  goal: number;
};

/** Input of every stage after the plan. */
export type CutContext = { snapshot: ContextSnapshot; core: Core; cut: Cut };

/** No message of the conversation leaves, so there is nothing to summarise: retained messages are only edited. */
export function isEdit({ coversThrough, named }: Pick<Cut, 'coversThrough' | 'named'>): boolean {
  return coversThrough === '' && named.length === 0;
}

/** `defer`: calls are open, run them first (S2.6). `nothing`: nothing to cut off, or the model must answer first. */
export type Plan =
  | Cut
  | { type: 'defer'; calls: string[] }
  | { type: 'nothing'; tried?: PassDecision[] }
  | { type: 'overflow'; error: HarnessError; tried: PassDecision[] };
