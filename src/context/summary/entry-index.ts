/** Ids of what is about to leave, each with the beginning of what it says: a summary can only cite what it can see (S0.13). */
import { headByTokens } from '../../transcript/cut-text.ts';
import { renderLines } from '../../transcript/transcript-lines.ts';
import { estimateText } from '../../transcript/tokens.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { Cut } from '../plan/compaction-cut.ts';
import type { Policy } from '../policy.ts';
import { escapeTags, tagged, underCap } from '../fact-tags.ts';
import { liveEntries } from '../view/view.ts';

const LINE_TOKENS = 20;

/** One line an entry, the newest where there is no room for all; empty where the policy gives it none. */
export function entryIndex(entries: readonly Entry[], { facts }: Policy, { coversThrough, named }: Cut): string[] {
  if (facts.index === 0) return [];
  const live = liveEntries(entries);
  const end = live.findIndex(({ id }) => id === coversThrough);
  const gone = new Set(named);
  const leaving = live.filter(({ id }, place) => place <= end || gone.has(id));
  const lines = leaving.flatMap((entry) => renderLines([entry], 4 * LINE_TOKENS).slice(0, 1));
  const short = lines.map((line) => headByTokens(escapeTags(line), LINE_TOKENS)).toReversed();
  const shown = underCap(short, facts.index, estimateText, 'older entries');
  return shown.length === 0 ? [] : [tagged('entry_index', shown.toReversed().join('\n'))];
}
