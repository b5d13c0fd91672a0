/** The list of runs, read again only where it has changed: a page asks for it at every request, of ten thousand runs. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isNoRight, valueOnErrno } from '../../disk/disk-fault.ts';
import { creationOf, findRuns, type FoundRun } from './find-runs.ts';

/** Two changes of a folder within this time may leave it with the same time of change. */
const SETTLED_MS = 3000;
/** Files open at the same time; a system may allow a thousand in all. */
const AT_ONCE = 32;

type Folder = { changedNs: bigint; runs: readonly FoundRun[] };
/** By run folder, when each run was created: the first event of a run never changes. */
type Births = Map<string, string>;

export type RunListing = {
  /** In no order. `isNew`: something was read again. */
  find: (scenarioDirs: readonly string[]) => Promise<{ runs: readonly FoundRun[]; isNew: boolean }>;
  /** What was found last, newest first. */
  newestFirst: () => Promise<FoundRun[]>;
};

export function openRunListing(): RunListing {
  let folders = new Map<string, Folder>();
  let found: readonly FoundRun[] = [];
  /** `runs` are one list, made once for all who ask for it at the same time. */
  let sorted: { of: readonly FoundRun[]; runs: Promise<readonly FoundRun[]> } | undefined;
  const births: Births = new Map();
  return {
    find: together(async (dirs) => {
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
      // One without a first event yet is looked at again.
      if (runs.length !== lookup.of.length) forget();
      return [...runs];
    },
  };
}

/** A request during a scan shares the next scan: it begins after all of them were made, and so sees what their callers know of. */
function together<T>(look: (dirs: readonly string[]) => Promise<T>): (dirs: readonly string[]) => Promise<T> {
  let now: Promise<unknown> = Promise.resolve();
  let next: { dirs: Set<string>; answer: Promise<T> } | undefined;
  return (dirs) => {
    if (next !== undefined) {
      for (const dir of dirs) next.dirs.add(dir);
      return next.answer;
    }
    const all = new Set(dirs);
    const answer = now.then(() => {
      next = undefined;
      return look([...all]);
    });
    next = { dirs: all, answer };
    now = answer.catch(() => undefined);
    return answer;
  };
}

async function lookInto(scenarioDir: string, before: Folder | undefined): Promise<Folder> {
  const at = await valueOnErrno('ENOENT', undefined, stat(join(scenarioDir, 'runs'), { bigint: true }));
  if (before !== undefined && at !== undefined && before.changedNs === at.mtimeNs) return before;
  const isSettled = at !== undefined && Date.now() - Number(at.mtimeMs) > SETTLED_MS;
  return { changedNs: isSettled ? at.mtimeNs : -1n, runs: await findRuns([scenarioDir]) };
}

/** A folder without its first event is being created, or its creator died: it is no run yet. */
export async function newestFirst(runs: readonly FoundRun[], births: Births = new Map()): Promise<FoundRun[]> {
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
    return (await creationOf(dir))?.ts;
  } catch (error) {
    // Another user's: it is listed, and whoever opens it reads why it says no more.
    if (isNoRight(error)) return '';
    throw error;
  }
}
