/** The list of runs, read again only where it has changed, since every page requests it, of up to ten thousand runs. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPermissionError, valueOnErrno } from '../../disk/disk-fault.ts';
import { shareCalls } from '../../disk/serial-queue.ts';
import { readCreation, findRuns, type FoundRun } from './find-runs.ts';

/** Two changes of a folder within this time may leave the same modification time. */
const SETTLED_MS = 3000;
/** The most files open at the same time; a system may allow only a thousand in all. */
const AT_ONCE = 32;

type ScannedFolder = { changedNs: bigint; runs: readonly FoundRun[] };
/** The time of creation by run folder; a run's first event never changes. */
type CreationTimes = Map<string, string>;

export type RunScanner = {
  /** Returns the runs in no order. `isNew`: something was read again. */
  find: (scenarioDirs: readonly string[]) => Promise<{ runs: readonly FoundRun[]; isNew: boolean }>;
  /** Returns the runs of the last scan, newest first. */
  newestFirst: () => Promise<FoundRun[]>;
};

export function openRunListing(): RunScanner {
  let folders = new Map<string, ScannedFolder>();
  let found: readonly FoundRun[] = [];
  /** The sorted copy of `runs`, made once for all callers that request it at the same time. */
  let sorted: { of: readonly FoundRun[]; runs: Promise<readonly FoundRun[]> } | undefined;
  const births: CreationTimes = new Map();
  return {
    find: shareCalls(async (dirs) => {
      const before = folders;
      const now = await Promise.all(dirs.map(async (dir) => [dir, await lookInto(dir, before.get(dir))] as const));
      const isNew = now.length !== before.size || now.some(([dir, one]) => one.runs !== before.get(dir)?.runs);
      folders = new Map(now);
      if (!isNew) return { runs: found, isNew };
      found = now.flatMap(([, { runs }]) => runs);
      const there = new Set(found.map(({ dir }) => dir));
      for (const dir of births.keys()) if (!there.has(dir)) births.delete(dir);
      return { runs: found, isNew };
    }),
    newestFirst: async () => {
      if (sorted?.of !== found) sorted = { of: found, runs: newestFirst(found, births) };
      const lookup = sorted;
      const forget = (): void => void (sorted = sorted === lookup ? undefined : sorted);
      const runs = await lookup.runs.catch((error: unknown) => {
        forget();
        throw error;
      });
      // A run without a first event is looked at again next time.
      if (runs.length !== lookup.of.length) forget();
      return [...runs];
    },
  };
}

async function lookInto(scenarioDir: string, before: ScannedFolder | undefined): Promise<ScannedFolder> {
  const at = await valueOnErrno('ENOENT', undefined, stat(join(scenarioDir, 'runs'), { bigint: true }));
  if (before !== undefined && at !== undefined && before.changedNs === at.mtimeNs) return before;
  const isSettled = at !== undefined && Date.now() - Number(at.mtimeMs) > SETTLED_MS;
  return { changedNs: isSettled ? at.mtimeNs : -1n, runs: await findRuns([scenarioDir]) };
}

/** A folder without its first event is still being created, or its creator died: it is not a run yet. */
export async function newestFirst(runs: readonly FoundRun[], births: CreationTimes = new Map()): Promise<FoundRun[]> {
  const dated: { run: FoundRun; key: string }[] = [];
  const left = runs.values();
  const lookOn = async (): Promise<void> => {
    for (const run of left) {
      const ts = births.get(run.dir) ?? (await createdAt(run));
      if (ts === undefined) continue;
      if (ts !== '') births.set(run.dir, ts);
      dated.push({ run, key: `${ts} ${run.id}` });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lookOn));
  return dated.sort((one, other) => (one.key < other.key ? 1 : -1)).map(({ run }) => run);
}

async function createdAt({ dir }: FoundRun): Promise<string | undefined> {
  try {
    return (await readCreation(dir))?.ts;
  } catch (error) {
    // The run of another user is listed, and opening it reports why it cannot be read.
    if (isPermissionError(error)) return '';
    throw error;
  }
}
