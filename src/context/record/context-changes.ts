/** Every change of what the model is shown, as events in the order in which they came (S2.8). */
import type { Entry } from '../../transcript/entry.ts';

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
