/** What one compaction will do, decided before any model is asked. */
import type { HarnessError } from '../../errors.ts';
import type { PassDecision } from '../record/receipt.ts';
import type { Pressure } from './trigger.ts';

/** Why it is done, and what only the caller knows: the gate at which a person still owes a decision (S0.18). */
export type Occasion = {
  reason: string;
  openGate?: string;
  /** False: edits alone were refused, so something must be summarised. */
  edits?: false;
};

/** A cut on the first message of a unit; the entry made from it is self-contained. */
export type Cut = {
  type: 'cut';
  occasion: Occasion;
  pressure: Pressure;
  /** Empty when nothing is cut off: items leave, or what stays is edited. */
  coversThrough: string;
  keepsFrom?: string;
  shortened: Record<string, string>;
  /** Whole texts of what was shortened, for a caller that spills them to files. */
  spill: { entry: string; call: string; text: string }[];
  stepsSummarised: number;
  stepsKept: number;
  decisions: PassDecision[];
  /** Who writes the summary; `code`: nobody is asked, `fallback` makes the entry. */
  by: 'model' | 'server' | 'code';
  inputs: Record<string, Record<string, unknown>>;
  left: string[];
  /** Those of `left` that were said in the conversation: they are summarised before they go; memory and the like just go. */
  named: string[];
  pointers: Record<string, string>;
  /** Summaries that stay as they are beside the new one; empty where it takes their place (S1.7). */
  archives: string[];
  /** Tokens that a step adds, and what was aimed at for it. */
  growth: number;
  goal: number;
};

/** Nothing that was said leaves, so there is nothing to tell: what stands is only edited. */
export function isEdit({ coversThrough, named }: Pick<Cut, 'coversThrough' | 'named'>): boolean {
  return coversThrough === '' && named.length === 0;
}

/**
 * `defer`: calls are open, run them first (S2.6). `nothing`: there is nothing to cut off, or what was asked last must
 * be seen first.
 */
export type Plan =
  | Cut
  | { type: 'defer'; calls: string[] }
  | { type: 'nothing' }
  | { type: 'overflow'; error: HarnessError };
