/** What stands in when no summary can be had: the facts, and the beginnings of the transcript's lines (S1.14). */
import { fill } from '../../transcript/fill-template.ts';
import { renderLines } from '../../transcript/transcript-lines.ts';
import { estimateText } from '../../transcript/tokens.ts';
import type { Entry } from '../../transcript/entry.ts';
import { currentSummaries } from './archives.ts';
import { commit } from './prove-compaction.ts';
import type { Acceptance } from './prove-compaction.ts';
import type { Core } from '../core.ts';
import { earlierFacts } from './earlier-facts.ts';
import { isEdit } from '../plan/compaction-cut.ts';
import type { Cut } from '../plan/compaction-cut.ts';
import { FALLBACK } from '../receipt-names.ts';
import { escapeTags, tagged, underCap } from '../fact-tags.ts';
import { latestCompaction } from '../view/view.ts';

/**
 * Contract: calls no model and always gives the same entry for the same input; refused only when it cannot fit. A cut that
 * asks for no summary is made here too, whatever the cause.
 */
export function fallback(entries: readonly Entry[], core: Core, cut: Cut, cause: string): Acceptance {
  if (cut.by === 'code') return withoutModel(entries, core, cut);
  const what = cause === 'timeout' ? 'timed out' : `failed (${cause})`;
  const summary = linesIn(core.prompts.fallback, { what }, entries, core, cut);
  const earlier = earlierFacts(latestCompaction(entries), undefined, core.policy.facts.earlier, cut.archives);
  return commit(entries, core, cut, { summary, earlier, reason: `${FALLBACK}${cause}` });
}

/** The policy drops or edits, and asks nobody. */
function withoutModel(entries: readonly Entry[], core: Core, cut: Cut): Acceptance {
  const summary = linesIn(core.prompts.dropped ?? core.prompts.fallback, { what: 'left out' }, entries, core, cut);
  const previous = latestCompaction(entries);
  // Where only edits are made the earlier summary stands on, and carries on what it carried.
  const standing = isEdit(cut) ? currentSummaries(previous) : cut.archives;
  const earlier = earlierFacts(previous, undefined, core.policy.facts.earlier, standing);
  return commit(entries, core, cut, { summary, earlier, reason: cut.occasion.reason });
}

function linesIn(
  template: string,
  values: Record<string, string>,
  entries: readonly Entry[],
  core: Core,
  cut: Cut,
): string {
  const { policy } = core;
  const frame = fill(template, { ...values, lines: tagged('transcript_lines', '') });
  const cap = Math.floor(policy.summary.maxTokens / cut.pressure.ratio) - estimateText(frame);
  const lines = underCap(goneLines(entries, core, cut), cap, (line) => estimateText(line) + 1, 'earlier lines');
  return fill(template, { ...values, lines: tagged('transcript_lines', lines.toReversed().join('\n')) });
}

/** Newest first, for the cap takes from the end; what an earlier compaction covered is among its earlier facts. */
function goneLines(entries: readonly Entry[], { policy }: Core, { coversThrough, named }: Cut): string[] {
  const start = entries.findIndex(({ id }) => id === latestCompaction(entries)?.coversThrough);
  const end = entries.findIndex(({ id }) => id === coversThrough);
  const gone = new Set(named);
  const covered = entries.filter(
    ({ id, type }, place) => type === 'message' && ((place > start && place <= end) || gone.has(id)),
  );
  return renderLines(covered, policy.facts.lines).map(escapeTags).toReversed();
}
