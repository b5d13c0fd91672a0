/** What stands in when no summary can be had: the facts, and the beginnings of the transcript's lines (S1.14). */
import { fill } from '../transcript/fill.ts';
import { renderLines } from '../transcript/lines.ts';
import { estimateText } from '../transcript/tokens.ts';
import type { Entry } from '../transcript/entry.ts';
import { commit } from './commit.ts';
import type { Acceptance } from './commit.ts';
import type { Core } from './core.ts';
import { earlierFacts } from './earlier.ts';
import type { Cut } from './plan.ts';
import { escapeTags, tagged, underCap } from './tags.ts';
import { latestCompaction } from './view.ts';

/** `receipt.reason` of a compaction that no model wrote begins with this. */
export const FALLBACK = 'fallback:';

/** Contract: calls no model and always gives the same entry for the same input; refused only when it cannot fit. */
export function fallback(entries: readonly Entry[], core: Core, cut: Cut, cause: string): Acceptance {
  const { policy, prompts } = core;
  const what = cause === 'timeout' ? 'timed out' : `failed (${cause})`;
  const frame = fill(prompts.fallback, { what, lines: tagged('transcript_lines', '') });
  const cap = Math.floor(policy.summary.maxTokens / cut.pressure.ratio) - estimateText(frame);
  const lines = underCap(coveredLines(entries, core, cut), cap, (line) => estimateText(line) + 1, 'earlier lines');
  const summary = fill(prompts.fallback, { what, lines: tagged('transcript_lines', lines.toReversed().join('\n')) });
  const earlier = earlierFacts(latestCompaction(entries), undefined, policy.facts.earlier);
  return commit(entries, core, cut, { summary, earlier, reason: `${FALLBACK}${cause}` });
}

/** Newest first, for the cap takes from the end; what an earlier compaction covered is among its earlier facts. */
function coveredLines(entries: readonly Entry[], { policy }: Core, { coversThrough }: Cut): string[] {
  const start = entries.findIndex(({ id }) => id === latestCompaction(entries)?.coversThrough);
  const end = entries.findIndex(({ id }) => id === coversThrough);
  const covered = entries.slice(start + 1, end + 1).filter(({ type }) => type === 'message');
  return renderLines(covered, policy.facts.lines).map(escapeTags).toReversed();
}
