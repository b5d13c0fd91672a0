/**
 * Facts of the last summary that the new one no longer cites: kept by code, so that nothing is lost in rounds (S0.15,
 * docs/compaction-cases.md T15).
 */
import { estimateText } from '../../transcript/tokens.ts';
import type { CompactionEntry } from '../../transcript/entry.ts';
import { currentSummaries } from './archives.ts';
import { citedIds } from './claims.ts';
import { storedSummary, summaryLines } from './summary.ts';
import { insideTag, oneLine, underCap } from '../fact-tags.ts';

/**
 * Lines for `<earlier_facts>`: of the last summary first, then of what it carried itself, until the cap is reached.
 * `summary` is the new one, or undefined when there is none and everything must be carried; `archives` are those that
 * stay beside it, so that nothing of them is lost.
 */
export function earlierFacts(
  previous: CompactionEntry | undefined,
  summary: string | undefined,
  cap: number,
  archives: readonly string[] = [],
): string[] {
  if (previous === undefined) return [];
  const cited = summary === undefined ? undefined : citedIds(summary);
  const folded = currentSummaries(previous).filter((text) => !archives.includes(text));
  const lines = [...folded.toReversed().flatMap(factsOf), ...carriedBy(previous.request)];
  const lost = lines.filter((line) => {
    const ids = citedIds(line);
    return cited === undefined || [...ids].some((id) => !cited.has(id));
  });
  return underCap(
    [...new Set(lost)].map((line) => `- ${line}`),
    cap,
    estimateText,
    'older facts',
  );
}

/** A summary made by code is lines already; one made by a model is JSON, or the list points of its wrapping. */
function factsOf(summary: string): string[] {
  const value = storedSummary(summary);
  if (value !== undefined) return summaryLines(value).map(oneLine);
  const lines = insideTag(summary, 'transcript_lines');
  if (lines !== undefined) return lines.split('\n').filter((line) => line.trim() !== '');
  return summary.split('\n').flatMap((line) => (/^\s*[*-] \S/.test(line) ? [line.replace(/^\s*[*-] /, '')] : []));
}

function carriedBy(request: string): string[] {
  const section = insideTag(request, 'earlier_facts') ?? '';
  return section.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
}
