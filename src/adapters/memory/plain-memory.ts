/** Memory in this process only: for disks that take no index, and when nothing may be stored. */
import type { Memory, MemoryItem } from '../../ports/memory.ts';
import { boundedLimit, ITEM_CHARS, keyOf, queryTerms, snippetOf, termsOf, type Term } from './search-text.ts';

type IndexedItem = { item: MemoryItem; terms: ReadonlySet<string> };

export function createPlainMemory(): Memory {
  const known = new Map<string, IndexedItem>();
  return {
    remember: async (items) => {
      for (const item of items) known.set(keyOf(item), { item, terms: new Set(termsOf(item.text, ITEM_CHARS)) });
    },
    search: async ({ text, limit, level }) => {
      const terms = queryTerms(text);
      const wanted = [...known.values()].filter(({ item }) => level === undefined || item.level === level);
      const weights = new Map(terms.map((term) => [term, weightOf(term, wanted)]));
      return wanted
        .map((one) => ({ item: one.item, score: scoreOf(one, weights) }))
        .filter(({ score }) => score > 0)
        .toSorted((one, other) => other.score - one.score)
        .slice(0, boundedLimit(limit))
        .map(({ item }) => ({ ...item, snippet: snippetOf(item.text, terms) }));
    },
    forget: async (run) => {
      const gone = [...known].filter(([, { item }]) => item.run === run);
      for (const [key] of gone) known.delete(key);
      return gone.length;
    },
    runs: async () => [...new Set([...known.values()].map(({ item }) => item.run))].toSorted(),
    close: () => Promise.resolve(),
  };
}

function holds({ terms }: IndexedItem, { term, prefix }: Term): boolean {
  return terms.has(term) || (prefix && [...terms].some((one) => one.startsWith(term)));
}

/** A word in fewer items weighs more. */
function weightOf(term: Term, all: readonly IndexedItem[]): number {
  const holding = all.filter((one) => holds(one, term)).length;
  return Math.log(1 + all.length / Math.max(1, holding));
}

/** All words outweigh any part of them, because each weighs something. */
function scoreOf(one: IndexedItem, weights: ReadonlyMap<Term, number>): number {
  return [...weights].filter(([term]) => holds(one, term)).reduce((sum, [, weight]) => sum + weight, 0);
}
