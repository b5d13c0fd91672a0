/** Reads what a person approved last: the rules of the design in force, and what was said at its approval. */
import { parseYaml } from '../../config/yaml-file.ts';
import type { PinnedRules } from '../../context/index.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';
import { gateId } from '../../gate/rules/gate.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { currentDesignDir } from '../../run/layout.ts';
import type { RunState, ReviewerNote } from '../../run/state.ts';
import { BusinessRules, DESIGN_FILES } from '../../scenario/design.ts';
import { resolveMentions, parseMentions } from '../../gate/rules/mentions.ts';
import { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { ReviewerComment } from './handoffs.ts';

/** Longer words at an approval are pasted material: the step's first message carries them, and no rule has to make room. */
const MOST_NOTE_CHARS = 4000;

/** The rules for a conversation beside a run, as they are now; undefined without a run. */
export async function readRulesInForce(run: RunFolder | undefined): Promise<PinnedRules | undefined> {
  return run && readApprovedRules(run, (await openSnapshot(run)).state);
}

/** Undefined before the first approval. A later approval replaces the rules; until then they stay in force. */
export async function readApprovedRules(
  run: Pick<RunFolder, 'read'>,
  state: Pick<RunState, 'designs' | 'reviewerNotes'>,
): Promise<PinnedRules | undefined> {
  const design = state.designs.findLast(({ approved }) => approved !== undefined);
  if (design === undefined) return undefined;
  const dir = currentDesignDir(state, design.round);
  const path = `${dir}/${DESIGN_FILES[1]}`;
  const { rules } = parseYaml((await run.read(path)) ?? '', BusinessRules, path);
  const notes = state.reviewerNotes.filter(
    ({ gate, comment }) => gate === gateId(design.round) && comment !== '' && comment.length <= MOST_NOTE_CHARS,
  );
  return {
    source: `${dir}, approved as ${design.approved?.slice(0, 12)}`,
    rules: [
      ...rules.map(formatRule),
      ...notes.map(({ actor, comment }) => `Said by ${actor} at the approval: ${comment}`),
    ],
  };
}

/** Folders that the reading agent can see; of two files with one name, the design's is meant. */
export type ReadableFolders = { folders: readonly string[]; designDir: string };

/** Finds the questions that a reviewer answered and the files that they mention. */
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

/** The text of a rule as it is approved; its title says nothing more, and each request pays for it. */
export function formatRule(rule: Pick<BusinessRules['rules'][number], 'id' | 'severity' | 'text'>): string {
  return `${rule.id} (${rule.severity}) ${rule.text}`;
}
