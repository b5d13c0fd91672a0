/** One agent's conversation during a step: the transcript so far, and the only way to append to it. */
import { lineage, numberOf, type Entry, type EntryDraft } from '../transcript/entry.ts';
import type { Images } from '../ports/images.ts';
import { storeImages } from './images.ts';

export type { EntryDraft };

export interface AgentSession {
  readonly lane: string;
  /** Of this session's own lane: those that lead to its newest (S4.1). */
  readonly entries: readonly Entry[];
  /** Of all lanes of the transcript, in the order of their appending. */
  readonly all: readonly Entry[];
  /** Contract: `onAppend` gets the entry before the promise resolves; ids continue from the newest one. */
  append(draft: EntryDraft): Promise<Entry>;
  /** Lanes that were opened since the newest entry of this one. */
  readonly opened: number;
  /**
   * A separate conversation in the same transcript (S3.5, S4.1). Its first entry has the newest entry of this lane as
   * parent; the next entry of this lane has both as parents. `siblings`: how many lanes are opened at this place; they may
   * be appended to at the same time, and their ids are the same whichever is faster.
   */
  openLane(lane: string, siblings?: number): AgentSession;
}

/** What a compaction needs of a session. */
export type SessionLog = Pick<AgentSession, 'entries' | 'append'>;

/** Shared by all lanes of one transcript: the log and the numbering. */
type Shared = {
  /** In the order of their numbers. */
  all: Entry[];
  step: string;
  onAppend: (entry: Entry) => Promise<void>;
  images: Images | undefined;
};

export function createAgentSession(options: {
  entries: readonly Entry[];
  step: string;
  lane?: string;
  onAppend: (entry: Entry) => Promise<void>;
  /** Stores the bytes of images; without it the entries contain them. */
  images?: Images;
}): AgentSession {
  const { step, onAppend, images, lane = 'main' } = options;
  const shared: Shared = {
    all: options.entries.toSorted((one, other) => numberOf(one) - numberOf(other)),
    step,
    onAppend,
    images,
  };
  return laneOf(shared, lane, { origin: [], next: afterNewest(shared) });
}

const afterNewest =
  ({ all }: Shared) =>
  (): number => {
    const newest = all.at(-1);
    return newest === undefined ? 1 : numberOf(newest) + 1;
  };

/** Other lanes may have written a later entry already. */
function insert(all: Entry[], entry: Entry): void {
  all.splice(all.findLastIndex((one) => numberOf(one) < numberOf(entry)) + 1, 0, entry);
}

type Numbering = { origin: readonly string[]; next: () => number };

function laneOf(shared: Shared, lane: string, { origin, next }: Numbering): AgentSession {
  const entries = lineage(shared.all, lane);
  const lanes: AgentSession[] = [];
  return {
    lane,
    entries,
    all: shared.all,
    get opened() {
      return lanes.length;
    },
    append: async (given) => {
      const draft = await outside(given, shared.images);
      const ends = lanes.splice(0).flatMap((one) => one.entries.slice(-1).map(({ id }) => id));
      const last = entries.at(-1);
      const entry: Entry = {
        version: 1,
        id: `e${next()}`,
        parents: [...(last === undefined ? origin : [last.id]), ...ends],
        lane,
        step: shared.step,
        ...draft,
      };
      await shared.onAppend(entry);
      insert(shared.all, entry);
      entries.push(entry);
      return entry;
    },
    openLane: (name, siblings = 1) => {
      const last = entries.at(-1);
      let number = (last === undefined ? 0 : numberOf(last)) + 1 + lanes.length - siblings;
      const opened = laneOf(shared, name, {
        origin: entries.slice(-1).map(({ id }) => id),
        next: siblings === 1 ? afterNewest(shared) : () => (number += siblings),
      });
      lanes.push(opened);
      return opened;
    },
  };
}

/** The bytes of an image are on disk before the entry that points to them. */
async function outside(draft: EntryDraft, images: Images | undefined): Promise<EntryDraft> {
  if (images === undefined || draft.type !== 'message') return draft;
  return { ...draft, message: await storeImages(draft.message, images) };
}
