/** What an index takes of an item, and how many it gives back. */
import type { MemoryItem } from '../../ports/memory.ts';

/** Of one item: what stands further back is in the transcript, and not looked for. */
export const ITEM_CHARS = 20_000;
const MOST_FOUND = 200;

export function boundedLimit(limit: number): number {
  return Number.isFinite(limit) ? Math.min(MOST_FOUND, Math.max(0, Math.floor(limit))) : MOST_FOUND;
}

export function keyOf({ run, agent, entry }: Pick<MemoryItem, 'run' | 'agent' | 'entry'>): string {
  return JSON.stringify([run, agent, entry]);
}
