/** HITL-1 on the terminal: shows the review pack on one screen and asks for one answer. */
import type { Decision } from '../../gate/decide.ts';
import { CONFIRM_WORD } from '../../gate/rules/gate.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { renderDiffTerminal } from '../../report/gate/diff-terminal.ts';
import type { TerminalSize } from '../../report/text/terminal-colors.ts';
import { listApprovalDoubts } from '../../report/gate/approval-doubts.ts';
import { renderReviewTerminal } from '../../report/gate/review-terminal.ts';
import { isColorForced } from '../command-context.ts';
import type { Io } from '../io.ts';

export type ReviewerAnswer = Pick<Decision, 'decision' | 'comment' | 'confirm'>;

/** Asks one question on the terminal; the answer is trimmed. */
export type AskQuestion = (question: string) => Promise<string>;

/** `leave` is the answer when no terminal is there to ask. */
export function createAsk(io: Io, signal: AbortSignal, leave: string): AskQuestion {
  return async (question) => (io.ask === undefined ? leave : await io.ask(question, signal)).trim();
}

export function getReviewSize({ screen, env }: Io): TerminalSize {
  return { columns: screen?.columns() ?? 100, color: screen?.color ?? isColorForced(env) };
}

/** Undefined when the reviewer leaves the gate open. */
export async function askReviewer(pack: ReviewPack, io: Io, signal: AbortSignal): Promise<ReviewerAnswer | undefined> {
  const size = getReviewSize(io);
  const ask = createAsk(io, signal, 'q');
  for (const line of renderReviewTerminal(pack, size, { keys: [], prompt: true })) io.err(line);
  for (;;) {
    const key = await ask('[a] approve  [r] request changes  [x] reject  [d] full diff  [q] stop > ');
    if (key.toLowerCase() === 'd') for (const line of renderDiffTerminal(pack, size)) io.err(line);
    if (key.toLowerCase() === 'q') return undefined;
    const answer = await toReviewerAnswer(key.toLowerCase(), pack, ask);
    if (answer !== undefined) return answer;
  }
}

async function toReviewerAnswer(key: string, pack: ReviewPack, ask: AskQuestion): Promise<ReviewerAnswer | undefined> {
  if (key === 'a') {
    const confirm = await askToConfirm(pack, ask);
    if (confirm === undefined) return undefined;
    return { decision: 'approve', comment: await ask('A note for both agents (empty for none) > '), confirm };
  }
  if (key === 'r') {
    const comment = await ask('What must change? Name rules (R4) or files (@path) > ');
    return comment === '' ? undefined : { decision: 'request_changes', comment };
  }
  if (key === 'x') {
    const comment = await ask('Rejecting ends the run. Why? (empty to go back) > ');
    return comment === '' ? undefined : { decision: 'reject', comment };
  }
  return undefined;
}

/** Returns the confirmation to send with an approval: empty when none is needed, undefined when it was not typed. */
export async function askToConfirm(pack: ReviewPack, ask: AskQuestion): Promise<string | undefined> {
  const doubts = listApprovalDoubts(pack);
  if (doubts.length === 0) return '';
  const typed = await ask(`${doubts.join(' ')} Type ${CONFIRM_WORD} to approve all the same > `);
  return typed.toLowerCase() === CONFIRM_WORD ? typed : undefined;
}
