/** Earlier summaries that stay unchanged before a new one, while their cap has room (S1.7, docs/internals/compaction-cases.md Y5). */
import type { CompactionEntry } from '../../transcript/entry.ts';
import { estimateTexts } from '../../transcript/tokens.ts';
import { FALLBACK } from '../record/receipt.ts';
import type { Policy } from '../policy.ts';

/** Every current summary, oldest first: archives, then the newest. */
export function currentSummaries(previous: CompactionEntry | undefined): string[] {
  if (previous === undefined || previous.place === 'none') return [];
  return [...(previous.archives ?? []), previous.summary];
}

/**
 * Archives never change. When the next would not fit under the cap, the new summary replaces all of them, and the
 * originals stay in the transcript. A summary made without a model is replaced by the next one.
 */
export function retainedArchives(previous: CompactionEntry | undefined, { summary }: Policy, ratio: number): string[] {
  const { archive, maxTokens } = summary;
  if (archive === undefined || previous === undefined) return [];
  const { place, receipt } = previous;
  if ((place !== 'user' && place !== 'system') || receipt.reason.startsWith(FALLBACK)) return [];
  const current = currentSummaries(previous);
  const tokens = estimateTexts(current) * ratio;
  return tokens + maxTokens <= archive ? current : [];
}
