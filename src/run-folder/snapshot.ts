/** The one reader of journals: a journal is read and folded once in a process, then only its new events. */
import { createSerialQueue } from '../disk/serial-queue.ts';
import { isHarnessError, HarnessError } from '../errors.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { RunEvent, EventBody } from '../run/event.ts';
import { extendSnapshot, createSnapshot, type RunSnapshot } from '../run/snapshot.ts';
import type { RunState } from '../run/state.ts';
import { applyEvent } from '../run/fold.ts';

/** Runs whose snapshots are cached; beyond it the one that was used longest ago is dropped. */
const MOST_CACHED = 256;

type Cached = { snapshot?: RunSnapshot | undefined; inTurn: ReturnType<typeof createSerialQueue> };

/** By run folder, for the whole process: several stores may open the same run. */
const cache = new Map<string, Cached>();

/** The run as it is now, with the events of other processes. Contract: `data_corrupt` for a run without events. */
export async function openSnapshot(run: RunFolder): Promise<RunSnapshot> {
  return (await findSnapshot(run)) ?? createSnapshot([]);
}

/** Undefined for a run that has no event yet. */
export function findSnapshot(run: RunFolder): Promise<RunSnapshot | undefined> {
  const cached = cachedFor(run);
  return cached.inTurn(async () => {
    const { snapshot } = cached;
    cached.snapshot = (snapshot && (await readOn(run, snapshot))) ?? (await readWhole(run));
    return cached.snapshot;
  });
}

export async function readState(run: RunFolder): Promise<RunState> {
  return (await openSnapshot(run)).state;
}

export async function readEvents(run: RunFolder): Promise<readonly RunEvent[]> {
  return (await findSnapshot(run))?.events ?? [];
}

/** Reads and checks every file again, whatever this process has read before. */
export async function readAfresh(run: RunFolder): Promise<RunSnapshot> {
  return createSnapshot(await run.journal.read());
}

/** Spares the next reader the event that this process has just appended to `before`. */
export function extendCached(run: RunFolder, before: RunSnapshot, event: RunEvent): RunSnapshot {
  const cached = cachedFor(run);
  const after = extendSnapshot(before, [event]);
  if (cached.snapshot === before) cached.snapshot = after;
  return after;
}

/** Undefined when the folder is no longer the one that was read: then it must be read in full. */
async function readOn(run: RunFolder, snapshot: RunSnapshot): Promise<RunSnapshot | undefined> {
  try {
    const more = await run.journal.read(snapshot.events.at(-1));
    return more.length === 0 ? snapshot : extendSnapshot(snapshot, more);
  } catch (error) {
    if (isHarnessError(error, 'data_corrupt')) return undefined;
    throw error;
  }
}

async function readWhole(run: RunFolder): Promise<RunSnapshot | undefined> {
  const events = await run.journal.read();
  return events.length === 0 ? undefined : createSnapshot(events);
}

function cachedFor({ dir }: RunFolder): Cached {
  const cached = cache.get(dir) ?? { inTurn: createSerialQueue() };
  cache.delete(dir);
  cache.set(dir, cached);
  const [oldest] = cache.keys();
  if (cache.size > MOST_CACHED && oldest !== undefined) cache.delete(oldest);
  return cached;
}

const MAX_RACES = 100;

/** Returns the event to append, or undefined for none. */
type ChooseEvent = (now: RunSnapshot) => EventBody | undefined | Promise<EventBody | undefined>;

/** `event` is undefined when nothing was appended; then `after` is `before`. */
type Transaction = { before: RunSnapshot; after: RunSnapshot; event: RunEvent | undefined };

/**
 * Contract: `choose` is called again with a new snapshot each time another writer was faster; its errors are passed on.
 * `event_refused` when its event does not fit the state; then nothing is written.
 */
export async function transact(run: RunFolder, choose: ChooseEvent, actor: string): Promise<Transaction> {
  for (let race = 0; race < MAX_RACES; race += 1) {
    const before = await openSnapshot(run);
    const body = await choose(before);
    if (body === undefined) return { before, after: before, event: undefined };
    const { length, origin } = before.state;
    applyEvent(before.state, { seq: length, ts: origin.at, actor, body });
    try {
      const event = await run.journal.append(body, actor, length);
      return { before, after: extendCached(run, before, event), event };
    } catch (error) {
      if (!isHarnessError(error, 'journal_conflict')) throw error;
    }
  }
  throw new HarnessError('journal_conflict', `Run ${run.id} changes too fast; try again.`, { retryable: true });
}
