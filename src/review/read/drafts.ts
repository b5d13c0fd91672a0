/** Comments that were written and not sent yet: kept in memory for their writer, until an answer takes them along. */

export type Drafts = {
  /** By anchor, in the order of writing. */
  of: (at: DraftPlace) => ReadonlyMap<string, string>;
  /** An empty text takes the comment away. False when there is room for no more. */
  put: (at: DraftPlace, anchor: string, text: string) => boolean;
  clear: (at: DraftPlace) => void;
};

/** `gate` is the key of run and gate together. */
export type DraftPlace = { who: string; gate: string };

const MOST_AT_GATE = 60;
const MOST_GATES = 500;

export function createDrafts(): Drafts {
  const kept = new Map<string, Map<string, string>>();
  const keyOf = ({ who, gate }: DraftPlace): string => JSON.stringify([who, gate]);
  return {
    of: (at) => kept.get(keyOf(at)) ?? new Map<string, string>(),
    put: (at, anchor, text) => {
      const key = keyOf(at);
      const mine = kept.get(key) ?? new Map<string, string>();
      if (text === '') mine.delete(anchor);
      else if (mine.size >= MOST_AT_GATE && !mine.has(anchor)) return false;
      else mine.set(anchor, text);
      // Who wrote last is forgotten last.
      kept.delete(key);
      if (mine.size > 0) kept.set(key, mine);
      const [oldest] = kept.keys();
      if (kept.size > MOST_GATES && oldest !== undefined) kept.delete(oldest);
      return true;
    },
    clear: (at) => void kept.delete(keyOf(at)),
  };
}
