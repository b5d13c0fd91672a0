/** Replaces a summary that no model could write: the facts, and the first words of the transcript's lines (S1.14). */
import { fillTemplate } from '../../transcript/fill-template.ts';
import { formatTranscript } from '../../transcript/transcript-lines.ts';
import { estimateText } from '../../transcript/tokens.ts';
import { toSnapshot, type EntriesOrSnapshot } from '../context-snapshot.ts';
import { currentSummaries } from './archives.ts';
import { commitCompaction, type Acceptance } from './prove-compaction.ts';
import type { Core } from '../core.ts';
import { earlierFacts } from './earlier-facts.ts';
import { isEdit, type Cut, type CutContext } from '../plan/compaction-cut.ts';
import { FALLBACK } from '../record/receipt.ts';
import { escapeTags, wrapInTag, underCap } from '../fact-tags.ts';
import { coveredEntries } from './summary-template.ts';

/**
 * Contract: calls no model and always makes the same entry for the same input; refused only when it cannot fit. A cut that
 * needs no summary is made here too, whatever the cause.
 */
// oxlint-disable-next-line max-params -- a public signature
export function fallback(transcript: EntriesOrSnapshot, core: Core, cut: Cut, cause: string): Acceptance {
  const context = { snapshot: toSnapshot(transcript), core, cut };
  if (cut.by === 'code') return withoutModel(context);
  const what = cause === 'timeout' ? 'timed out' : `failed (${cause})`;
  const summary = fillLines(context, core.prompts.fallback, what);
  const earlier = earlierFacts(context, undefined, cut.archives);
  return commitCompaction(context, { summary, earlier, reason: `${FALLBACK}${cause}` });
}

/** Makes the entry for a policy that drops or edits without a model. */
function withoutModel(context: CutContext): Acceptance {
  const { core, cut, snapshot } = context;
  const summary = fillLines(context, core.prompts.dropped ?? core.prompts.fallback, 'left out');
  // After an edit the earlier summary stays, with the facts that it carried.
  const staying = isEdit(cut) ? currentSummaries(snapshot.projection.compaction) : cut.archives;
  const earlier = earlierFacts(context, undefined, staying);
  return commitCompaction(context, { summary, earlier, reason: cut.occasion.reason });
}

function fillLines(context: CutContext, template: string, what: string): string {
  const { core, cut } = context;
  const frame = fillTemplate(template, { what, lines: wrapInTag('transcript_lines', '') });
  const tokens = Math.floor(core.policy.summary.maxTokens / cut.pressure.ratio) - estimateText(frame);
  // Newest first, because the cap cuts the end. Lines of an earlier compaction are among its earlier facts.
  const newest = formatTranscript(coveredEntries(context), core.policy.facts.lines).map(escapeTags).toReversed();
  const lines = underCap(newest, { tokens, what: 'earlier lines', perLine: 1 });
  return fillTemplate(template, { what, lines: wrapInTag('transcript_lines', lines.toReversed().join('\n')) });
}
