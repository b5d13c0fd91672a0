/** One agent's conversation while a step is being made: the transcript so far, and the one way to add to it. */
import type { CompactionEntry, Entry, MessageEntry, RefusedEntry } from '../transcript/entry.ts';

type Draft<E extends Entry> = Omit<E, 'version' | 'id' | 'parents' | 'lane' | 'step'>;
export type EntryDraft = Draft<MessageEntry> | Draft<CompactionEntry> | Draft<RefusedEntry>;

export interface Session {
  readonly entries: readonly Entry[];
  /** Contract: the entry is handed to `onAppend` before the promise resolves; ids go on from the newest one. */
  append(draft: EntryDraft): Promise<Entry>;
}

export function createSession(options: {
  entries: readonly Entry[];
  step: string;
  lane?: string;
  onAppend: (entry: Entry) => Promise<void>;
}): Session {
  const entries = [...options.entries];
  return {
    entries,
    append: async (draft) => {
      const last = entries.at(-1);
      const entry: Entry = {
        version: 1,
        id: `e${last === undefined ? 1 : Number(last.id.slice(1)) + 1}`,
        parents: last === undefined ? [] : [last.id],
        lane: options.lane ?? 'main',
        step: options.step,
        ...draft,
      };
      await options.onAppend(entry);
      entries.push(entry);
      return entry;
    },
  };
}
