/** The questions that a reviewer had before them, next to what they wrote. */
import { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { ReviewerNote } from '../../run/state.ts';
import type { ReviewerComment } from './handoffs.ts';

export async function answeredQuestions(run: RunFolder, notes: readonly ReviewerNote[]): Promise<ReviewerComment[]> {
  return Promise.all(
    notes.map(async ({ gate, actor, comment }) => {
      const text = await run.read(`gates/${gate}/pack.json`);
      const questions = text === undefined ? [] : ReviewPack.parse(JSON.parse(text)).questions;
      return { actor, comment, questions };
    }),
  );
}
