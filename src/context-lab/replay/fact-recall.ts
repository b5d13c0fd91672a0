/** Checks which of the facts that are needed later a view still contains, whenever its prefix changed. */
import type { Message } from '../../transcript/message.ts';
import type { KnownFact } from './summariser.ts';
import { type Fact, allText } from './facts.ts';

/** `asked` counts the facts that had to survive a rewrite. A fact that was missing once while it was needed is lost. */
export type FactRetention = {
  asked: number;
  kept: number;
  lost: string[];
  /** The same after the first rewrite alone. */
  first: { asked: number; kept: number };
};

export type FactRecall = ReturnType<typeof createFactRecall>;

export function createFactRecall(facts: readonly Fact[]) {
  const ids = new Map<number, string>();
  const required = new Set<Fact>();
  const lost = new Set<Fact>();
  let first: FactRetention['first'] | undefined;

  function check(messages: readonly Message[]): void {
    const place = ids.size;
    const needed = facts.filter(({ from, until }) => from < place && until >= place);
    if (needed.length === 0) return;
    const content = messages.map(allText).join('\n');
    const missing = needed.filter(({ text }) => !content.includes(text));
    for (const fact of needed) required.add(fact);
    for (const fact of missing) lost.add(fact);
    first ??= { asked: needed.length, kept: needed.length - missing.length };
  }

  return {
    /** Returns the number of messages so far. */
    get heard() {
      return ids.size;
    },
    /** The recorded message at `place` is the entry `id` of the transcript. */
    hear: (place: number, id: string): void => void ids.set(place, id),
    known: (): KnownFact[] =>
      facts.flatMap(({ text, from }) => (ids.has(from) ? [{ text, id: ids.get(from) ?? '' }] : [])),
    check,
    end: (messages: readonly Message[]): FactRetention => {
      if (first !== undefined) check(messages);
      return {
        asked: required.size,
        kept: required.size - lost.size,
        lost: [...lost].map(({ text }) => text),
        first: first ?? { asked: 0, kept: 0 },
      };
    },
  };
}
