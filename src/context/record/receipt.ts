/** Receipts: the entries that a view leaves out and where they are, and what a compaction decided and cost (S4.6). */
import type { MessageEntry, Entry } from '../../transcript/entry.ts';
import type { Projection } from '../view/projection.ts';

export type ViewReceipt = {
  /** Message entries in the transcript, and how many of them are summarised. */
  entries: number;
  covered: number;
  /** The last summarised entry. */
  coveredThrough?: string;
  /** Calls whose results are shortened. */
  shortened: string[];
  /** Entries without sendable content: empty answers, results without a call. */
  skipped: string[];
  /** Entries after the cut that left the view. */
  left?: string[];
};

export function viewReceipt({ compaction, projector, known }: Projection): ViewReceipt {
  const receipt = { entries: known.size, covered: 0, shortened: [] as string[], skipped: [...projector.skipped] };
  if (compaction === undefined) return receipt;
  const { coversThrough, left = [] } = compaction;
  return {
    ...receipt,
    covered: (known.get(coversThrough) ?? -1) + 1,
    ...(coversThrough === '' ? {} : { coveredThrough: coversThrough }),
    shortened: Object.keys(compaction.shortened),
    ...(left.length === 0 ? {} : { left }),
  };
}

/** `receipt.reason` begins with this when a model should have written the summary, and code did. */
export const FALLBACK = 'fallback:';

/** The cached messages of the last call, which the rewrite gives up; system prompt and tools stay cached. */
export function cacheTokensLost(live: readonly MessageEntry[], floor: number): number {
  const usage = live.findLast(({ response }) => response !== undefined)?.response?.usage;
  if (usage === undefined) return 0;
  return Math.max(0, usage.cache_read_input_tokens + usage.cache_creation_input_tokens - floor);
}

/** Every change of what the model is shown, as events in the order in which they came (S2.8). */
export type ContextChange =
  | { type: 'conversation_replaced'; entry: string; through: string; tokensBefore: number; tokensAfter: number }
  | { type: 'items_removed'; entry: string; items: string[] }
  | { type: 'results_edited'; entry: string; calls: string[] }
  | { type: 'images_pointed'; entry: string; entries: string[] }
  | { type: 'layer_changed'; entry: string; layer: string }
  | { type: 'item_added'; entry: string; item: string }
  | { type: 'summary_refused'; entry: string; cause: string };

export function changesOf(entries: readonly Entry[]): ContextChange[] {
  return entries.flatMap((entry): ContextChange[] => {
    if (entry.type === 'layer') return [{ type: 'layer_changed', entry: entry.id, layer: entry.name }];
    if (entry.type === 'compaction_refused') return [{ type: 'summary_refused', entry: entry.id, cause: entry.cause }];
    if (entry.type === 'message')
      return entry.item === undefined ? [] : [{ type: 'item_added', entry: entry.id, item: entry.item }];
    return compactionChanges(entry);
  });
}

function compactionChanges(entry: Extract<Entry, { type: 'compaction' }>): ContextChange[] {
  const { id, coversThrough, left = [], shortened, inputs = {}, pointers = {}, receipt } = entry;
  const { tokensBefore, tokensAfter } = receipt;
  const calls = [...new Set([...Object.keys(shortened), ...Object.keys(inputs)])];
  return [
    ...(coversThrough === ''
      ? []
      : [{ type: 'conversation_replaced' as const, entry: id, through: coversThrough, tokensBefore, tokensAfter }]),
    ...(left.length === 0 ? [] : [{ type: 'items_removed' as const, entry: id, items: left }]),
    ...(calls.length === 0 ? [] : [{ type: 'results_edited' as const, entry: id, calls }]),
    ...(Object.keys(pointers).length === 0
      ? []
      : [{ type: 'images_pointed' as const, entry: id, entries: Object.keys(pointers) }]),
  ];
}
