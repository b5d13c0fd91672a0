/** Memory in this process only, for disks without an index and for runs that may store nothing. */
import type { Memory, MemoryItem } from '../../ports/memory.ts';
import {
  boundedLimit,
  ITEM_CHARS,
  getItemKey,
  queryTerms,
  createSnippet,
  extractTerms,
  type Term,
} from './search-text.ts';

type IndexedItem = { item: MemoryItem; terms: ReadonlySet<string> };

export function createPlainMemory(): Memory {
  const known = new Map<string, IndexedItem>();
  return {
    remember: async (items) => {
      for (const item of items)
        known.set(getItemKey(item), { item, terms: new Set(extractTerms(item.text, ITEM_CHARS)) });
    },
    search: async ({ text, limit, level }) => {
      const terms = queryTerms(text);
      const wanted = [...known.values()].filter(({ item }) => level === undefined || item.level === level);
      const weights = new Map(terms.map((term) => [term, computeWeight(term, wanted)]));
      return wanted
        .map((one) => ({ item: one.item, score: computeScore(one, weights) }))
        .filter(({ score }) => score > 0)
        .toSorted((one, other) => other.score - one.score)
        .slice(0, boundedLimit(limit))
        .map(({ item }) => ({ ...item, snippet: createSnippet(item.text, terms) }));
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

function hasTerm({ terms }: IndexedItem, { term, prefix }: Term): boolean {
  return terms.has(term) || (prefix && [...terms].some((one) => one.startsWith(term)));
}

/** A word that occurs in fewer items weighs more. */
function computeWeight(term: Term, all: readonly IndexedItem[]): number {
  const holding = all.filter((one) => hasTerm(one, term)).length;
  return Math.log(1 + all.length / Math.max(1, holding));
}

/** An item with all words outscores an item with some of them, because each weight is positive. */
function computeScore(one: IndexedItem, weights: ReadonlyMap<Term, number>): number {
  return [...weights].filter(([term]) => hasTerm(one, term)).reduce((sum, [, weight]) => sum + weight, 0);
}
