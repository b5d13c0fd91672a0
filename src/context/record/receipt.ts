/** What a view leaves out and where to find it, and what a compaction decided and cost (S4.6). */
import type { CompactionReceipt } from '../../transcript/compaction-receipt.ts';
import type { MessageEntry } from '../../transcript/entry.ts';
import type { Usage } from '../../transcript/message.ts';
import type { Projection } from '../view/projection.ts';

export type ViewReceipt = {
  /** Message entries in the transcript, and how many of them a summary stands for. */
  entries: number;
  covered: number;
  /** The last entry that the summary stands for. */
  coveredThrough?: string;
  /** Calls whose results stand shortened. */
  shortened: string[];
  /** Entries of which nothing could be sent: empty answers, results without a call. */
  skipped: string[];
  /** Entries after the cut that left by themselves. */
  left?: string[];
};

export function viewReceipt({
  compaction,
  skipped,
  messages,
  covered,
}: Pick<Projection, 'compaction' | 'skipped' | 'messages' | 'covered'>): ViewReceipt {
  const receipt = { entries: messages, covered: 0, shortened: [] as string[], skipped: [...skipped] };
  if (compaction === undefined) return receipt;
  const { coversThrough, left = [] } = compaction;
  return {
    ...receipt,
    covered,
    ...(coversThrough === '' ? {} : { coveredThrough: coversThrough }),
    shortened: Object.keys(compaction.shortened),
    ...(left.length === 0 ? {} : { left }),
  };
}

/**
 * All input tokens of a response: `input_tokens` alone is only what follows the last cache mark (docs/api-rules.md §4).
 */
export function inputTokens(usage: Usage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}

/** What the rewrite gives up: the cached messages of the last call; system prompt and tools stay cached. */
export function cacheTokensLost(live: readonly MessageEntry[], floor: number): number {
  const usage = live.findLast(({ response }) => response !== undefined)?.response?.usage;
  if (usage === undefined) return 0;
  return Math.max(0, usage.cache_read_input_tokens + usage.cache_creation_input_tokens - floor);
}

export type PassDecision = CompactionReceipt['decisions'][number];
