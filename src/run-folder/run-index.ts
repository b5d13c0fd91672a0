/** The last known status of every run, so that waiting runs need not be read again: a cache, safe to delete. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { atomicWrite } from '../disk/atomic-write.ts';
import { valueOnErrno } from '../disk/disk-fault.ts';
import { numberedName } from '../disk/numbered-files.ts';
import { parseOrNone } from '../disk/parse-file.ts';
import { isHarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { RunFolder, RunStore } from '../ports/run-store.ts';
import { decide } from '../run/decide.ts';
import type { RunSnapshot } from '../run/snapshot.ts';
import { undoable } from '../run/undo.ts';
import { laneOf } from './hand-over.ts';
import { findSnapshot } from './snapshot.ts';

type Folder = { id: string; scenario: string; dir: string; length?: number };

/** In a scenario's `runs/`; no run can have that name. */
const FILE = '.index.json';
const AT_ONCE = 64;
/** A ledger takes ten times as long to read as a journal: a first look over thousands of runs leaves most of them to later ones. */
const LEDGERS_IN_A_LOOK = 64;

const RunStatus = z.strictObject({
  /** Events read; until there are more, the other fields are valid. */
  length: z.int(),
  /** When the last of them happened. */
  at: z.string(),
  status: z.string(),
  isOver: z.boolean(),
  startedAt: z.string(),
  round: z.int(),
  iteration: z.int(),
  /** Of the newest iteration. */
  rate: z.number().optional(),
  /** Surely paid; only of a run that is over, for the others it moves without an event. Not yet there when many were seen at once. */
  usd: z.number().optional(),
  lane: z.enum(['init', 'execute']).optional(),
  gate: z
    .strictObject({
      id: z.string(),
      digest: z.string(),
      openedAt: z.string(),
      reminders: z.int(),
      heldMs: z.number().optional(),
    })
    .optional(),
});
type RunStatus = z.infer<typeof RunStatus>;
/** An index of another version is rebuilt. */
const Index = z.strictObject({ version: z.literal(4), runs: z.record(z.string(), RunStatus) });

export type IndexedRun = RunStatus & { id: string; scenario: string; dir: string };
/** `isNewer`: a later version of this program has written it. */
export type UnreadableRun = Folder & { message: string; isNewer: boolean };
export type RunListing = { runs: IndexedRun[]; unreadable: UnreadableRun[] };

export type RunIndex = {
  /** Every run as it is now; only those with new events are read. */
  look(): Promise<RunListing>;
};

const indexes = new WeakMap<RunStore, RunIndex>();

/** The one of this process for a store: who asks while a look is under way shares the next one. */
export function indexOf(store: RunStore): RunIndex {
  const index = indexes.get(store) ?? openRunIndex(store);
  indexes.set(store, index);
  return index;
}

export function openRunIndex(store: RunStore): RunIndex {
  /** Keyed by the folder that contains the runs. */
  const known = new Map<string, Map<string, RunStatus>>();

  /** Folders whose ledger cannot be read: they are listed all the same. */
  const unpaid = new Set<string>();
  let ledgers = 0;

  const glance = async (folder: Folder, seen: Map<string, RunStatus>): Promise<RunStatus | undefined> => {
    const before = seen.get(folder.id);
    if (before !== undefined && (before.isOver || !(await hasMore(folder, before.length)))) return paid(folder, before);
    const snapshot = await findSnapshot(store.at(folder));
    return snapshot && paid(folder, runStatusOf(snapshot));
  };

  const paid = async (folder: Folder, seen: RunStatus): Promise<RunStatus> => {
    if (!seen.isOver || seen.usd !== undefined || unpaid.has(folder.dir) || ledgers >= LEDGERS_IN_A_LOOK) return seen;
    ledgers += 1;
    const usd = await paidFor(store.at(folder));
    if (usd === undefined) unpaid.add(folder.dir);
    return usd === undefined ? seen : { ...seen, usd };
  };

  const remembered = (runsDir: string): Promise<Map<string, RunStatus>> =>
    store.listed === undefined ? readIndex(runsDir) : listed(store.listed);

  const lookInto = async (runsDir: string, folders: readonly Folder[], all: Remembered): Promise<RunListing> => {
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
    if (store.listed !== undefined) await list(store.listed, before, now);
    else if (isChanged(before, now)) await writeIndex(runsDir, now);
    return overview;
  };

  const look = async (): Promise<RunListing> => {
    ledgers = 0;
    // Once for all scenarios, and while the runs are listed.
    const first = known.size === 0 && store.listed !== undefined ? listed(store.listed) : undefined;
    const [found, all] = await Promise.all([store.folders(), first]);
    const groups = Map.groupBy(found, ({ dir }) => dirname(dir));
    const parts = await Promise.all([...groups].map(([runsDir, folders]) => lookInto(runsDir, folders, all)));
    return { runs: parts.flatMap(({ runs }) => runs), unreadable: parts.flatMap(({ unreadable }) => unreadable) };
  };

  return { look: inOne(look) };
}

/** A look begins after all who share it have asked, and so sees what they know of. */
function inOne(look: RunIndex['look']): RunIndex['look'] {
  let now: Promise<unknown> = Promise.resolve();
  let next: Promise<RunListing> | undefined;
  return () => {
    if (next !== undefined) return next;
    const answer = now.then(() => {
      next = undefined;
      return look();
    });
    now = answer.catch(() => undefined);
    next = answer;
    return answer;
  };
}

function runStatusOf({ state, events }: RunSnapshot): RunStatus {
  const lane = laneOf(decide(state));
  // A rejection can be taken back, so its run has to be looked at again.
  const isOver = 'verdict' in state && undoable(state).length === 0;
  const { length, status, round, iteration, origin, iterations } = state;
  const rate = iterations.at(-1)?.successRate;
  const at = events.at(-1)?.ts ?? '';
  const base = { length, at, status, isOver, startedAt: origin.at, round, iteration, ...omitUndefined({ rate }) };
  if (state.status !== 'awaiting_approval') return lane === undefined ? base : { ...base, lane };
  const { id, digest, openedAt, reminders, heldMs } = state.gate;
  return { ...base, gate: { id, digest, openedAt, reminders, ...(heldMs === undefined ? {} : { heldMs }) } };
}

/** Undefined where the ledger cannot be read: the run is listed all the same. */
async function paidFor(run: RunFolder): Promise<number | undefined> {
  try {
    return (await run.spending.list()).reduce((sum, { usd }) => sum + usd, 0);
  } catch (error) {
    if (isHarnessError(error)) return undefined;
    throw error;
  }
}

function isChanged(before: Map<string, RunStatus>, now: Map<string, RunStatus>): boolean {
  return before.size !== now.size || [...now].some(([id, seen]) => before.get(id) !== seen);
}

async function hasMore({ dir, length }: Folder, than: number): Promise<boolean> {
  if (length !== undefined) return length > than;
  const path = join(dir, 'events', numberedName(than));
  return (await valueOnErrno('ENOENT', undefined, stat(path))) !== undefined;
}

type Listed = NonNullable<RunStore['listed']>;
type Remembered = Map<string, RunStatus> | undefined;

/** What another version has remembered is read again. */
async function listed(store: Listed): Promise<Map<string, RunStatus>> {
  const found = [...(await store.read())].flatMap(([id, about]): [string, RunStatus][] => {
    const parsed = RunStatus.safeParse(about);
    return parsed.success ? [[id, parsed.data]] : [];
  });
  return new Map(found);
}

/** As for the file: a cache that cannot be written does no harm. */
async function list(store: Listed, before: Map<string, RunStatus>, now: Map<string, RunStatus>): Promise<void> {
  const changed = new Map([...now].filter(([id, seen]) => before.get(id) !== seen));
  if (changed.size > 0) await store.write(changed).catch(() => undefined);
}

async function readIndex(runsDir: string): Promise<Map<string, RunStatus>> {
  const text = await valueOnErrno('ENOENT', undefined, readFile(join(runsDir, FILE), 'utf8'));
  return new Map(Object.entries((text === undefined ? undefined : parseOrNone(Index, text))?.runs ?? {}));
}

/** A cache that cannot be written (read-only or full disk) does no harm: the next call reads the journals again. */
async function writeIndex(runsDir: string, runs: Map<string, RunStatus>): Promise<void> {
  const text = `${JSON.stringify({ version: 4, runs: Object.fromEntries(runs) })}\n`;
  await atomicWrite(join(runsDir, FILE), text).catch(() => undefined);
}
