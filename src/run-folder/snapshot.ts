/** The one reader of journals: a journal is read and folded once in a process, then only its new events. */
import { createSerialQueue } from '../disk/serial-queue.ts';
import { isHarnessError } from '../errors.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { RunEvent } from '../run/event.ts';
import { extendSnapshot, createSnapshot, type RunSnapshot } from '../run/snapshot.ts';
import type { RunState } from '../run/state.ts';

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
