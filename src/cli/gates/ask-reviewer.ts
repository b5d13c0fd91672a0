/** Questions at HITL-1 on the terminal. */
import { CONFIRM_WORD } from '../../gate/rules/gate.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { listApprovalDoubts } from '../../report/gate/approval-doubts.ts';
import type { Io } from '../command-context.ts';

/** Asks one question on the terminal; the answer is trimmed. */
export type AskQuestion = (question: string) => Promise<string>;

/** `leave` is the answer when no terminal is there to ask. */
export function createAsk(io: Io, signal: AbortSignal, leave: string): AskQuestion {
  return async (question) => (io.ask === undefined ? leave : await io.ask(question, signal)).trim();
}

/** Returns the confirmation to send with an approval: empty when none is needed, undefined when it was not typed. */
export async function askToConfirm(pack: ReviewPack, ask: AskQuestion): Promise<string | undefined> {
  const doubts = listApprovalDoubts(pack);
  if (doubts.length === 0) return '';
  const typed = await ask(`${doubts.join(' ')} Type ${CONFIRM_WORD} to approve all the same > `);
  return typed.toLowerCase() === CONFIRM_WORD ? typed : undefined;
}
