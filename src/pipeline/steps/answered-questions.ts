/** Finds the questions that a reviewer answered and the files that they mention. */
import { resolveMentions, parseMentions } from '../../gate/rules/mentions.ts';
import { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { ReviewerNote } from '../../run/state.ts';
import type { ReviewerComment } from './handoffs.ts';

/** Folders that the reading agent can see; of two files with one name, the design's is meant. */
export type ReadableFolders = { folders: readonly string[]; designDir: string };

export async function listAnsweredQuestions(
  run: RunFolder,
  notes: readonly ReviewerNote[],
  { folders, designDir }: ReadableFolders,
): Promise<ReviewerComment[]> {
  let listed: Promise<string[]> | undefined;
  const known = async () => (await Promise.all(folders.map((folder) => run.list(folder)))).flat();
  return Promise.all(
    notes.map(async ({ gate, actor, comment }) => {
      const text = await run.read(`gates/${gate}/pack.json`);
      const questions = text === undefined ? [] : ReviewPack.parse(JSON.parse(text)).questions;
      const mentions = parseMentions(comment);
      if (mentions.inside.length === 0 && mentions.outside.length === 0) return { actor, comment, questions };
      return { actor, comment, questions, files: resolveMentions(mentions, designDir, await (listed ??= known())) };
    }),
  );
}
