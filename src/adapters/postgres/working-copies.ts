/** The working copies of this process: one of each run, in a folder for each server that the store has had since then. */
import { mkdir, rm, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { getOrCreate } from '../../get-or-create.ts';
import type { Clock, DraftRun, RunFolder } from '../../ports/run-store.ts';
import { isRunId, type FoundRun } from '../files/find-runs.ts';
import { openRunFolder } from '../files/run-folder.ts';
import type { Database } from './database.ts';
import { damagedFileError } from './stored-pieces.ts';
import { openStoredRun, type StoredRun } from './stored-run.ts';
import { homedir, tmpdir } from 'node:os';
import { isRunning, getPidScope } from '../../disk/live-mark.ts';
import { WORKING_COPY } from '../../disk/working-copy.ts';

export type WorkingCopiesOptions = {
  /** The store's address without user and password. */
  shown: string;
  clock: Clock;
  worker: string;
  /** Where the project has the scenario itself. */
  scenarioDir?: (name: string) => string | undefined;
  /** The folder of the copies; default: a new folder in the user's cache. */
  work?: string;
  onNotice?: (detail: string) => void;
};

type RunIds = Pick<FoundRun, 'id' | 'scenario'>;

export type WorkingCopies = {
  /** The folder of this process. */
  work: () => Promise<string>;
  /** The subfolder for what was read from the server of an era. */
  root: (era: number) => Promise<string>;
  placed: (row: RunIds) => Promise<FoundRun>;
  /** Skips rows that cannot be placed: a row named like a path costs one complaint, never the list of the others. */
  placedAll: <Row extends RunIds>(rows: readonly Row[]) => Promise<(FoundRun & Row)[]>;
  at: (found: FoundRun) => StoredRun;
  /** Fetches every file of the run into its folder. */
  whole: (found: FoundRun) => Promise<RunFolder>;
  flush: (runDir?: string) => Promise<void>;
  drop: (runDir: string) => Promise<void>;
  /** Prepares a run in a folder of this process, which `adopt` then makes a run. */
  draft: (row: RunIds, adopt: (run: FoundRun) => Promise<RunFolder>) => Promise<DraftRun>;
};

const ERA = 'era-';

/** The path of a working copy tells which era of the server it was read from. */
function parseEra(runDir: string): number {
  const name = basename(resolve(runDir, '../../../..'));
  return name.startsWith(ERA) ? Number(name.slice(ERA.length)) : 0;
}

const hasValidIds = ({ id, scenario }: RunIds): boolean => isRunId(id) && isRunId(scenario);

/** Computes where the working copy of a run is. */
function openPlaces(
  { shown, onNotice = () => undefined }: WorkingCopiesOptions,
  root: () => Promise<string>,
): Pick<WorkingCopies, 'placed' | 'placedAll'> {
  const placed: WorkingCopies['placed'] = async ({ id, scenario }) => {
    if (!hasValidIds({ id, scenario })) throw damagedFileError(id, scenario, 'is no name of a folder, and lies');
    return { id, scenario, dir: join(await root(), 'scenarios', scenario, 'runs', id) };
  };
  const complained = new Set<string>();
  const complain = ({ id, scenario }: RunIds): void => {
    if (complained.has(id)) return;
    complained.add(id);
    const [run, of] = [JSON.stringify(id.slice(0, 200)), JSON.stringify(scenario.slice(0, 200))];
    onNotice(`the store ${shown} has a row of a run ${run} of ${of}, which is no name of a folder: it is left out.`);
  };
  return {
    placed,
    placedAll: async (rows) => {
      for (const row of rows) if (!hasValidIds(row)) complain(row);
      return Promise.all(rows.filter(hasValidIds).map(async (row) => ({ ...row, ...(await placed(row)) })));
    },
  };
}

/** Keeps one working copy of each run. */
export function openWorkingCopies(options: WorkingCopiesOptions, database: Database): WorkingCopies {
  const { shown, clock, work, scenarioDir = () => undefined } = options;
  const worker = options.worker.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 64) || 'worker';
  const opened = new Map<string, StoredRun>();
  let made: Promise<string> | undefined;
  const inWork = (): Promise<string> => (made ??= work === undefined ? createWorkFolder(shown) : Promise.resolve(work));
  const root = async (era: number): Promise<string> => join(await inWork(), ...(era === 0 ? [] : [`${ERA}${era}`]));
  const at = (found: FoundRun): StoredRun => {
    const statements = database.boundTo(parseEra(found.dir));
    return getOrCreate(opened, found.dir, () => openStoredRun(found, { statements, clock, worker, scenarioDir }));
  };
  const { placed, placedAll } = openPlaces(options, () => root(database.era()));
  return {
    work: inWork,
    root,
    at,
    placed,
    placedAll,
    whole: async (found) => {
      const run = at(found);
      await run.hydrate();
      return run.folder;
    },
    flush: async (runDir) => {
      const now = [...opened].filter(([dir]) => parseEra(dir) === database.era()).map(([, run]) => run);
      for (const run of runDir === undefined ? now : [opened.get(runDir)]) await run?.flush();
    },
    drop: async (runDir) => {
      opened.delete(runDir);
      await rm(runDir, { recursive: true, force: true });
    },
    draft: async (row, adopt) => {
      const found = { ...row, dir: join(await inWork(), 'drafts', row.id) };
      await mkdir(found.dir, { recursive: true });
      const away = () => rm(found.dir, { recursive: true, force: true });
      let isAdopting = false;
      return {
        run: openRunFolder(found, { clock, worker }),
        publish: async () => {
          isAdopting = true;
          const run = await adopt(found);
          await away();
          return run;
        },
        drop: async () => {
          await away();
          if (isAdopting) await database.ask('DELETE FROM $S.run WHERE id = $1 AND born IS NULL', [row.id]);
        },
      };
    },
  };
}

const FORGET_MS = 24 * 60 * 60_000;

/** Creates a folder for this process. Folders of processes that ended a day ago go: the store has all that counts. */
async function createWorkFolder(shown: string): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tandem', 'store');
  const parent = await mkdir(cache, { recursive: true, mode: 0o700 }).then(() => cache, tmpdir);
  if (parent === cache) await removeOldFolders(cache);
  const work = await mkdtemp(join(parent, `tandem-store-${process.pid}-`));
  await writeFile(join(work, WORKING_COPY), `${JSON.stringify({ version: 1, home: shown, place: getPidScope() })}\n`);
  return work;
}

async function removeOldFolders(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const pid = Number(/^tandem-store-(\d+)-/.exec(name)?.[1]);
    const path = join(cache, name);
    const since = await stat(path).catch(() => undefined);
    if (!Number.isInteger(pid) || isRunning(pid) || since === undefined || Date.now() - since.mtimeMs < FORGET_MS)
      continue;
    await rm(path, { recursive: true, force: true });
  }
}
