/** The summary takes the place of the whole conversation; only what a person said last stays itself (S2.4). */
import type { Pass } from './cut-draft.ts';

export const replaceConversation: Pass<'replace-conversation'> = function* (draft, { units }) {
  const keepFrom = units.at(-1)?.kind === 'prompt' ? units.length - 1 : units.length;
  if (keepFrom === 0) return;
  yield { draft: { ...draft, keepFrom, summarise: true }, detail: 'the summary replaces the conversation' };
};
