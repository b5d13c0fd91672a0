/** Memory in this process alone: where the disk takes no index, and where nothing is to be kept. */
import type { Memory, MemoryItem } from '../../ports/memory.ts';
import { boundedLimit, ITEM_CHARS, keyOf } from './item-limits.ts';
import { snippetOf } from './snippet.ts';
import { queryTerms, termsOf, type Term } from './terms.ts';

type Known = { item: MemoryItem; terms: ReadonlySet<string> };

export function createPlainMemory(): Memory {
  const known = new Map<string, Known>();
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

function holds({ terms }: Known, { term, prefix }: Term): boolean {
  return terms.has(term) || (prefix && [...terms].some((one) => one.startsWith(term)));
}

/** A word that few items hold says more. */
function weightOf(term: Term, all: readonly Known[]): number {
  const holding = all.filter((one) => holds(one, term)).length;
  return Math.log(1 + all.length / Math.max(1, holding));
}

/** All of the words outweigh any number of some of them, for none weighs nothing. */
function scoreOf(one: Known, weights: ReadonlyMap<Term, number>): number {
  return [...weights].filter(([term]) => holds(one, term)).reduce((sum, [, weight]) => sum + weight, 0);
}
