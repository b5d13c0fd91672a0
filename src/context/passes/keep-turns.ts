/** The cut falls on whole turns: from a person's message to the answer that ends it (S1.8, S4.4). */
import { startOfLatest, turnStarts } from './cut-draft.ts';
import type { Pass } from './cut-draft.ts';

/** At least so many turns stay; with no more than that there is nothing to cut. */
export const keepLatestTurns: Pass<'keep-latest-turns'> = function* (draft, { units, spec }) {
  const keepFrom = Math.max(draft.keepFrom, startOfLatest(units, spec.turns));
  if (keepFrom === 0) return;
  yield { draft: { ...draft, keepFrom, summarise: true }, detail: `the latest ${spec.turns} turns stay` };
};

/** `limit_turns`, one less at every try; results that an earlier pass cleared stay cleared. */
export const keepFewerTurns: Pass<'keep-fewer-turns'> = function* (draft, { units, spec }) {
  const starts = turnStarts(units);
  for (const [place, start] of starts.entries()) {
    const turns = starts.length - place;
    if (start <= draft.keepFrom) continue;
    if (turns < spec.least) return;
    yield { draft: { ...draft, keepFrom: start, summarise: true }, detail: `limit_turns ${turns}` };
  }
};
