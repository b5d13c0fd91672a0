/** The last known status of every run, so that waiting runs need not be read again: a cache, safe to delete. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { atomicWrite } from '../disk/atomic-write.ts';
import { shareCalls } from '../disk/serial-queue.ts';
import { valueOnErrno } from '../disk/disk-fault.ts';
import { parseOrNone } from '../disk/parse-file.ts';
import { isHarnessError } from '../errors.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { RunStore } from '../ports/run-store.ts';
import { holdsEvent, isOfThisVersion, sumPaid, RunStatus, toRunStatus } from './hand-over.ts';
import { findSnapshot } from './snapshot.ts';

type Folder = { id: string; scenario: string; dir: string; length?: number };

/** This file is in a scenario's `runs/`; no run can have that name. */
const FILE = '.index.json';
const AT_ONCE = 64;
/** Reading a ledger takes ten times as long as a journal, so a first look at thousands of runs reads only some. */
const LEDGERS_IN_A_LOOK = 64;

/** An index of another version is rebuilt. */
const Index = z.strictObject({ version: z.literal(4), runs: z.record(z.string(), RunStatus) });

export type IndexedRun = RunStatus & { id: string; scenario: string; dir: string };
/** `isNewer` means that a later version of this program wrote the run. */
export type UnreadableRun = Folder & { message: string; isNewer: boolean };
export type RunListing = { runs: IndexedRun[]; unreadable: UnreadableRun[] };

export type RunIndex = {
  /** Returns every run as it is now; only runs with new events are read. */
  look(): Promise<RunListing>;
};

const indexes = new WeakMap<RunStore, RunIndex>();

/** Returns this process's index for the store. Callers that ask during a scan share the next one. */
export function getRunIndex(store: RunStore): RunIndex {
  return getOrCreate(indexes, store, () => openRunIndex(store));
}

export function openRunIndex(store: RunStore): RunIndex {
  /** Keyed by the folder that contains the runs. */
  const known = new Map<string, Map<string, RunStatus>>();

  /** Folders whose ledger cannot be read; their runs are listed without a cost. */
  const unpaid = new Set<string>();
  let ledgers = 0;

  const glance = async (folder: Folder, seen: Map<string, RunStatus>): Promise<RunStatus | undefined> => {
    const before = seen.get(folder.id);
    if (before !== undefined && (await isAsBefore(folder, before))) return paid(folder, before);
    const snapshot = await findSnapshot(store.at(folder));
    return snapshot && paid(folder, toRunStatus(snapshot));
  };

  const paid = async (folder: Folder, seen: RunStatus): Promise<RunStatus> => {
    if (!seen.isOver || seen.usd !== undefined || unpaid.has(folder.dir) || ledgers >= LEDGERS_IN_A_LOOK) return seen;
    ledgers += 1;
    const usd = await sumPaid(store.at(folder));
    if (usd === undefined) unpaid.add(folder.dir);
    return usd === undefined ? seen : { ...seen, usd };
  };

  const remembered = (runsDir: string): Promise<Map<string, RunStatus>> =>
    store.listed === undefined ? readIndex(runsDir) : readStatusCache(store.listed);

  const lookInto = async (runsDir: string, folders: readonly Folder[], all: CachedStatuses): Promise<RunListing> => {
    const before = known.get(runsDir) ?? all ?? (await remembered(runsDir));
    const overview: RunListing = { runs: [], unreadable: [] };
    const now = new Map<string, RunStatus>();
    const left = folders.values();
    const lookOn = async (): Promise<void> => {
      for (const folder of left) {
        try {
          const seen = await glance(folder, before);
          if (seen === undefined) continue;
          now.set(folder.id, seen);
          const { id, scenario, dir } = folder;
          overview.runs.push({ ...seen, id, scenario, dir });
        } catch (error) {
          if (!isHarnessError(error)) throw error;
          overview.unreadable.push({ ...folder, message: error.message, isNewer: error.code === 'version_mismatch' });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lookOn));
    known.set(runsDir, now);
    const changed = new Map([...now].filter(([id, seen]) => before.get(id) !== seen));
    if (store.listed === undefined && (changed.size > 0 || before.size !== now.size)) await writeIndex(runsDir, now);
    // As with the index file, a cache that cannot be written does no harm.
    else if (changed.size > 0) await store.listed?.write(changed).catch(() => undefined);
    return overview;
  };

  const look = async (): Promise<RunListing> => {
    ledgers = 0;
    // The cache is read once for all scenarios, while the runs are being listed.
    const first = known.size === 0 && store.listed !== undefined ? readStatusCache(store.listed) : undefined;
    const [found, all] = await Promise.all([store.folders(), first]);
    const groups = Map.groupBy(found, ({ dir }) => dirname(dir));
    const parts = await Promise.all([...groups].map(([runsDir, folders]) => lookInto(runsDir, folders, all)));
    return { runs: parts.flatMap(({ runs }) => runs), unreadable: parts.flatMap(({ unreadable }) => unreadable) };
  };

  const shared = shareCalls(look);
  return { look: () => shared([]) };
}

/** The length is compared for equality, because a store's server may also have lost events in a failover. */
async function isAsBefore({ dir, length }: Folder, before: RunStatus): Promise<boolean> {
  if (length !== undefined) return length === before.length;
  return before.isOver || !(await holdsEvent(dir, before.length));
}

type StatusCache = NonNullable<RunStore['listed']>;
type CachedStatuses = Map<string, RunStatus> | undefined;

/** Omits statuses that another version of the program has cached, so that these runs are read again. */
async function readStatusCache(store: StatusCache): Promise<Map<string, RunStatus>> {
  const found = [...(await store.read())].flatMap(([id, about]): [string, RunStatus][] => {
    const parsed = RunStatus.safeParse(about);
    return parsed.success && isOfThisVersion(parsed.data) ? [[id, parsed.data]] : [];
  });
  return new Map(found);
}

async function readIndex(runsDir: string): Promise<Map<string, RunStatus>> {
  const text = await valueOnErrno('ENOENT', undefined, readFile(join(runsDir, FILE), 'utf8'));
  const { runs = {} } = (text === undefined ? undefined : parseOrNone(Index, text)) ?? {};
  return new Map(Object.entries(runs).filter(([, seen]) => isOfThisVersion(seen)));
}

/** A cache that cannot be written (read-only or full disk) does no harm: the next call reads the journals again. */
async function writeIndex(runsDir: string, runs: Map<string, RunStatus>): Promise<void> {
  const text = `${JSON.stringify({ version: 4, runs: Object.fromEntries(runs) })}\n`;
  await atomicWrite(join(runsDir, FILE), text).catch(() => undefined);
}
