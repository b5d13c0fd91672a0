/** Facts of the last summary that the new one does not cite: carried by code, so that no round loses them (S0.15, docs/internals/compaction-cases.md T15). */
import type { CutContext } from '../plan/compaction-cut.ts';
import { currentSummaries } from './archives.ts';
import { citedIds } from './claims.ts';
import { storedSummary, summaryLines } from './summary.ts';
import { extractTag, oneLine, underCap } from '../fact-tags.ts';

/**
 * Lines for `<earlier_facts>`: of the last summary first, then those that it carried, up to the cap. `summary` is the new
 * one, undefined when everything must be carried; `archives` stay next to it, so nothing of them is lost.
 */
export function earlierFacts(
  { snapshot, core }: Pick<CutContext, 'snapshot' | 'core'>,
  summary: string | undefined,
  archives: readonly string[] = [],
): string[] {
  const previous = snapshot.projection.compaction;
  if (previous === undefined) return [];
  const cited = summary === undefined ? undefined : citedIds(summary);
  const folded = currentSummaries(previous).filter((text) => !archives.includes(text));
  const lines = [...folded.toReversed().flatMap(listFacts), ...listCarriedFacts(previous.request)];
  const lost = lines.filter((line) => cited === undefined || [...citedIds(line)].some((id) => !cited.has(id)));
  const unique = [...new Set(lost)].map((line) => `- ${line}`);
  return underCap(unique, { tokens: core.policy.facts.earlier, what: 'older facts' });
}

/** A summary made by code is lines already; one made by a model is JSON, or the list points of its template. */
function listFacts(summary: string): string[] {
  const value = storedSummary(summary);
  if (value !== undefined) return summaryLines(value).map(oneLine);
  const lines = extractTag(summary, 'transcript_lines');
  if (lines !== undefined) return lines.split('\n').filter((line) => line.trim() !== '');
  return summary.split('\n').flatMap((line) => (/^\s*[*-] \S/.test(line) ? [line.replace(/^\s*[*-] /, '')] : []));
}

function listCarriedFacts(request: string): string[] {
  const section = extractTag(request, 'earlier_facts') ?? '';
  return section.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
}
