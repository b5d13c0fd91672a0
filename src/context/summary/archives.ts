/**
 * Earlier summaries that stay as they are beside a new one, as long as their cap has room (S1.7,
 * docs/compaction-cases.md Y5).
 */
import type { CompactionEntry } from '../../transcript/entry.ts';
import { estimateText } from '../../transcript/tokens.ts';
import { FALLBACK } from '../receipt-names.ts';
import type { Policy } from '../policy.ts';

/** Every summary that stands, oldest first: archives, then the newest. */
export function currentSummaries(previous: CompactionEntry | undefined): string[] {
  if (previous === undefined || previous.place === 'none') return [];
  return [...(previous.archives ?? []), previous.summary];
}

/**
 * Frozen ones stay byte for byte. When the next would not fit under the cap, all of them are folded into the new summary,
 * and the originals stay in the transcript. What was made without a model is folded in at once.
 */
export function retainedArchives(previous: CompactionEntry | undefined, { summary }: Policy, ratio: number): string[] {
  const { archive, maxTokens } = summary;
  if (archive === undefined || previous === undefined) return [];
  const { place, receipt } = previous;
  if ((place !== 'user' && place !== 'system') || receipt.reason.startsWith(FALLBACK)) return [];
  const standing = currentSummaries(previous);
  const tokens = standing.reduce((sum, text) => sum + estimateText(text), 0) * ratio;
  return tokens + maxTokens <= archive ? standing : [];
}
