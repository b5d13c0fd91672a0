/** One agent's conversation during a step: the transcript so far, the only way to append to it, and its call records. */
import { compareEntries, listLineage, getEntryNumber, type Entry, type EntryDraft } from '../transcript/entry.ts';
import type { Images } from '../ports/images.ts';
import { storeImages } from './images.ts';
import { describeError, isHarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { computeCost, type ModelResponse } from '../ports/model.ts';
import type { FittedModel } from './build-request.ts';
import type { CallRecord } from '../transcript/call-record.ts';

export interface AgentConversation {
  readonly lane: string;
  /** Entries of this lane that lead to its newest one (S4.1). */
  readonly entries: readonly Entry[];
  /** Entries of all lanes of the transcript, in the order in which they were appended. */
  readonly all: readonly Entry[];
  /** Contract: `onAppend` gets the entry before the promise resolves; ids continue from the newest one. */
  append(draft: EntryDraft): Promise<Entry>;
  /** Number of lanes opened since the newest entry of this one. */
  readonly opened: number;
  /**
   * Opens a separate conversation in the same transcript (S3.5, S4.1). The newest entry of this lane is the parent of
   * its first entry; the next entry of this lane has both as parents. `siblings` is the number of lanes opened at this
   * point; they may be appended to at the same time, and their ids do not depend on which is faster.
   */
  openLane(lane: string, siblings?: number): AgentConversation;
}

/** The part of a conversation that a compaction needs. */
export type ConversationLog = Pick<AgentConversation, 'entries' | 'append'>;

/** State shared by all lanes of one transcript: its entries and their numbering. */
type SharedTranscript = {
  /** Sorted by entry number. */
  all: Entry[];
  step: string;
  onAppend: (entry: Entry) => Promise<void>;
  images: Images | undefined;
};

export function createAgentConversation(options: {
  entries: readonly Entry[];
  step: string;
  lane?: string;
  onAppend: (entry: Entry) => Promise<void>;
  /** Stores the bytes of images; without it the entries contain them. */
  images?: Images;
}): AgentConversation {
  const { step, onAppend, images, lane = 'main' } = options;
  const shared: SharedTranscript = {
    all: options.entries.toSorted(compareEntries),
    step,
    onAppend,
    images,
  };
  return createLane(shared, lane, { origin: [], next: createNumbering(shared) });
}

const createNumbering =
  ({ all }: SharedTranscript) =>
  (): number => {
    const newest = all.at(-1);
    return newest === undefined ? 1 : getEntryNumber(newest) + 1;
  };

type LaneNumbering = { origin: readonly string[]; next: () => number };

function createLane(shared: SharedTranscript, lane: string, { origin, next }: LaneNumbering): AgentConversation {
  const entries = listLineage(shared.all, lane);
  const lanes: AgentConversation[] = [];
  return {
    lane,
    entries,
    all: shared.all,
    get opened() {
      return lanes.length;
    },
    append: async (given) => {
      const draft = await withStoredImages(given, shared.images);
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
      // By number, because other lanes may already have appended a later entry.
      const place = shared.all.findLastIndex((one) => compareEntries(one, entry) < 0) + 1;
      shared.all.splice(place, 0, entry);
      entries.push(entry);
      return entry;
    },
    openLane: (name, siblings = 1) => {
      const last = entries.at(-1);
      let number = (last === undefined ? 0 : getEntryNumber(last)) + 1 + lanes.length - siblings;
      const opened = createLane(shared, name, {
        origin: entries.slice(-1).map(({ id }) => id),
        next: siblings === 1 ? createNumbering(shared) : () => (number += siblings),
      });
      lanes.push(opened);
      return opened;
    },
  };
}

/** Stores the bytes of images before the entry that points to them is written. */
async function withStoredImages(draft: EntryDraft, images: Images | undefined): Promise<EntryDraft> {
  if (images === undefined || draft.type !== 'message') return draft;
  return { ...draft, message: await storeImages(draft.message, images) };
}

/** Where call records are written. */
export type CallLog = {
  step: string;
  /** Prefix of the ids of its calls; `step` when absent. */
  ids?: string;
  now: () => Date;
  write: (record: CallRecord) => Promise<void>;
  /** Returns when the answer of an entry arrived, by the records so far, for the times of an archive (S1.9). */
  timeOf?: (entry: string) => string | undefined;
};

export type CallDraft = Omit<CallRecord, 'version' | 'id' | 'at' | 'step' | 'agent' | 'outcome' | 'model'>;

export type OpenCall = {
  /** `entry` is the entry that holds the answer; absent when nothing of the answer could be used. */
  answered(response: ModelResponse, entry?: string): Promise<void>;
  failed(error: unknown): Promise<void>;
};

export type CallRecorder = {
  /** Contract: the record is written before this resolves, so that a call whose process dies is on record. */
  open(draft: CallDraft, facts?: FittedModel): Promise<OpenCall>;
  /** Records a request that could not be made. */
  notSent(draft: CallDraft, error: unknown): Promise<void>;
};

/** Writes the record of every model call when it is made, and again when it has ended (S4.6). */
export function createCallRecorder(log: CallLog | undefined, agent: string, own: FittedModel): CallRecorder {
  const numbers = new Map<string, number>();
  const begun = (draft: CallDraft, facts: FittedModel): CallRecord => {
    const key = draft.purpose === 'summary' ? `${draft.lane}.summary` : draft.lane;
    const number = (numbers.get(key) ?? 0) + 1;
    numbers.set(key, number);
    const id = `${log?.ids ?? log?.step ?? ''}.${key}.${String(number).padStart(4, '0')}`;
    const at = (log?.now() ?? new Date(0)).toISOString();
    return { version: 1, id, agent, ...omitUndefined({ step: log?.step }), at, model: facts.id, ...draft };
  };
  const write = async (record: CallRecord): Promise<void> => log?.write(record);
  return {
    open: async (draft, facts = own) => {
      const record = begun(draft, facts);
      await write(record);
      return {
        answered: (response, entry) => {
          const { model, usage, stopReason, requestId, ms, at: answeredAt } = response;
          const costUsd = facts.price && computeCost(usage, facts.price);
          const more = omitUndefined({ entry, requestId, ms, answeredAt, costUsd });
          return write({ ...record, model, outcome: 'answered', usage, stopReason, ...more });
        },
        failed: (error) => write({ ...record, outcome: 'failed', error: toCallError(error) }),
      };
    },
    notSent: (draft, error) => write({ ...begun(draft, own), outcome: 'not_sent', error: toCallError(error) }),
  };
}

function toCallError(error: unknown): { code: string; message: string } {
  return { code: isHarnessError(error) ? error.code : 'infrastructure', message: describeError(error) };
}
