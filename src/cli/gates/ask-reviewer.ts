/** HITL-1 on the terminal: the review pack on one screen, then one answer. */
import { createInterface } from 'node:readline/promises';
import type { Decision } from '../../gate/decide.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { renderDiffTerminal } from '../../report/gate/diff-terminal.ts';
import { renderReviewTerminal } from '../../report/gate/review-terminal.ts';
import type { Io } from '../io.ts';

export type ReviewerAnswer = Pick<Decision, 'decision' | 'comment'>;

/** Undefined when the reviewer leaves the gate open. */
export async function askReviewer(pack: ReviewPack, io: Io, signal: AbortSignal): Promise<ReviewerAnswer | undefined> {
  const columns = io.screen?.columns() ?? 100;
  const color = io.screen?.color ?? false;
  for (const line of renderReviewTerminal(pack, columns, color, { keys: [] })) io.err(line);
  for (;;) {
    const key = (
      await askOrLeave(io, '[a] approve  [c] request changes  [x] reject  [d] full diff  [l] leave it open > ', signal)
    )
      .trim()
      .toLowerCase();
    if (key === 'd') for (const line of renderDiffTerminal(pack, columns, color)) io.err(line);
    if (key === 'l' || key === 'q') return undefined;
    const answer = await answerFor(key, io, signal);
    if (answer !== undefined) return answer;
  }
}

async function answerFor(key: string, io: Io, signal: AbortSignal): Promise<ReviewerAnswer | undefined> {
  if (key === 'a')
    return {
      decision: 'approve',
      comment: (await askOrLeave(io, 'A note for both agents (empty for none) > ', signal)).trim(),
    };
  if (key === 'c') {
    const comment = (await askOrLeave(io, 'What must change? Name rules (R4) or files (@path) > ', signal)).trim();
    return comment === '' ? undefined : { decision: 'request_changes', comment };
  }
  if (key === 'x') {
    const comment = (await askOrLeave(io, 'Rejecting ends the run. Why? (empty to go back) > ', signal)).trim();
    return comment === '' ? undefined : { decision: 'reject', comment };
  }
  return undefined;
}

async function askOrLeave(io: Io, question: string, signal: AbortSignal): Promise<string> {
  return io.ask === undefined ? 'l' : io.ask(question, signal);
}

/** The real terminal's way to ask; closed after each question so that nothing holds standard input. */
export async function askOnTerminal(question: string, signal: AbortSignal): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await reader.question(question, { signal });
  } finally {
    reader.close();
  }
}
