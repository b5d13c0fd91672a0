/** The chat port: a reviewer asks about a design, and gets an answer that is recorded and changes nothing. */
import type { ContextChange } from '../context/index.ts';
import type { Exchange } from '../run/exchanges.ts';

export type ChatQuestion = {
  /** Run id or path of the run folder. */
  run: string;
  /** The gate whose design the question is about. */
  gate: string;
  text: string;
  /** Begins a new conversation; earlier messages stay on record. */
  fresh?: boolean;
  /** `user:<name>`; the caller has verified it. */
  actor: string;
  via: string;
  /** The same nonce gets the same answer again. */
  nonce: string;
};

/** Parts of an answer while it is written; not stored. */
export type ChatProgress =
  | { type: 'looking'; tools: readonly string[] }
  | { type: 'text'; text: string }
  /** The model's view has changed (S2.8). */
  | { type: 'context'; change: ContextChange }
  /** A call of an earlier question was cut off; the most that it may have cost counts from now on. */
  | { type: 'written_off'; usd: number }
  /** The answer begins again, so the parts received so far do not count. */
  | { type: 'again'; reason: string };

export interface Chat {
  /**
   * Contract: resolves when the exchange is in the journal. `usage` for a mentioned file that is not there, before
   * anything is paid; `budget_exceeded` when the run's budget does not cover an answer.
   */
  ask(question: ChatQuestion, onProgress: (part: ChatProgress) => void, signal: AbortSignal): Promise<Exchange>;
}
