/** The run store on disk: run folders under the scenarios' folders, found by id, by its beginning, or by path. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { Clock, DraftRun, RunFolder, RunStore } from '../../ports/run-store.ts';
import { syncFolder } from '../../disk/atomic-write.ts';
import { getErrno, onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { refuseWorkingCopy } from '../../disk/working-copy.ts';
import {
  readCreation,
  findScenarioDirs,
  isRunId,
  scenarioByPlace,
  type FoundRun,
  badId,
  getArchivePath,
  noSuchRun,
  pickRun,
  refuseArchived,
  nameRun,
  takenId,
  sweepRuns,
} from './find-runs.ts';
import { openRunFolder } from './run-folder.ts';
import { newestFirst, openRunListing } from './run-listing.ts';

export type FileRunStoreOptions = {
  /** Folders that contain scenario folders. */
  roots: readonly string[];
  clock: Clock;
  /** Names this process in `wip/`; any text is accepted and made safe here. */
  worker: string;
};

/** The most run folders that stay open; beyond it all of them are opened again. */
const MOST_OPEN = 256;

export function openFileRunStore(options: FileRunStoreOptions): RunStore {
  const { roots, clock } = options;
  /** Scenario folders outside of the roots in which a run was created. */
  const visited = new Set<string>();
  /** By folder: runs that were found once are not searched again. */
  const known = new Map<string, FoundRun>();
  const open = new Map<string, { stamp: string; folder: RunFolder }>();
  const worker = options.worker.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 64) || 'worker';
  const folderAt = (run: FoundRun): RunFolder => openRunFolder(run, { clock, worker });

  const scenarioDirs = async () => [...(await findScenarioDirs(roots.map((root) => resolve(root)))), ...visited];
  const listing = openRunListing();
  const find = async (): Promise<FoundRun[]> => {
    const { runs, isNew } = await listing.find(await scenarioDirs());
    if (isNew) for (const run of runs) known.set(run.dir, run);
    return [...runs];
  };

  /** Returns the same object for the same folder, so that files which it has read are not read again. */
  const openAt = async (run: FoundRun): Promise<RunFolder | undefined> => {
    const stamp = await readFolderStamp(run.dir);
    if (stamp === undefined) return undefined;
    const before = open.get(run.dir);
    if (before?.stamp === stamp) return before.folder;
    if (open.size >= MOST_OPEN) open.clear();
    const folder = folderAt(run);
    open.set(run.dir, { stamp, folder });
    return folder;
  };

  const openByName = async (name: string): Promise<RunFolder> => {
    const before = findKnownRun(name, known);
    const again = before && (await openAt(before));
    if (again !== undefined) return again;
    if (before !== undefined) known.delete(before.dir);
    const found = await locateRun(name, { find, scenarioDirs });
    known.set(found.dir, found);
    return (await openAt(found)) ?? folderAt(found);
  };

  const named = async (scenarioDir: string, id: string): Promise<FoundRun> => {
    const run = await createFolder(scenarioDir, id);
    visited.add(scenarioDir);
    return run;
  };

  return {
    create: (scenarioDir, id) =>
      onDisk(`Creating run ${id}`, async () => {
        const run = await named(scenarioDir, id);
        known.set(run.dir, run);
        return (await openAt(run)) ?? folderAt(run);
      }),
    draft: (scenarioDir, id) =>
      onDisk(`Drafting run ${id}`, () => createDraft({ scenarioDir, id }, { folderAt, named, openByName })),
    open: (run) => onDisk(`Opening run ${run}`, () => openByName(run)),
    at: folderAt,
    sweep: (how) => onDisk('Sweeping the run folders', async () => sweepRuns(await scenarioDirs(), Date.now(), how)),
    remove: ({ dir }) => onDisk(`Removing ${dir}`, () => removeRun(dir)),
    folders: () => onDisk('Listing the run folders', find),
    list: () => onDisk('Listing the runs', () => find().then(() => listing.newestFirst())),
  };
}

/** Finds a run by its path or whole id only, because the beginning of an id may also fit an unknown run. */
function findKnownRun(name: string, known: ReadonlyMap<string, FoundRun>): FoundRun | undefined {
  if (isPath(name)) return known.get(resolve(name));
  const [run, ...others] = [...known.values()].filter(({ id }) => id === name);
  return others.length === 0 ? run : undefined;
}

type DraftSteps = {
  folderAt: (run: FoundRun) => RunFolder;
  /** Reserves the name with an empty folder once the copy is complete, so that a killed fork holds no name. */
  named: (scenarioDir: string, id: string) => Promise<FoundRun>;
  openByName: (dir: string) => Promise<RunFolder>;
};

async function createDraft(
  { scenarioDir, id }: { scenarioDir: string; id: string },
  { folderAt, named, openByName }: DraftSteps,
): Promise<DraftRun> {
  const { scenario } = nameRun(scenarioDir, id);
  const dir = join(scenarioDir, 'runs', id);
  if (existsSync(dir) || existsSync(getArchivePath(dir))) throw createTakenError(id, dir);
  // No list and no worker looks at hidden folders, so an incomplete copy is not taken for a run.
  const hidden = join(dirname(dir), `.forking-${id}-${randomBytes(4).toString('hex')}`);
  await mkdir(hidden, { recursive: true });
  let isClaimed = false;
  return {
    run: folderAt({ id, scenario, dir: hidden }),
    publish: async () => {
      await named(scenarioDir, id);
      isClaimed = true;
      // The rename replaces the empty folder that holds the name.
      await rename(hidden, dir);
      return openByName(dir);
    },
    drop: async () => {
      await rm(hidden, { recursive: true, force: true });
      if (isClaimed) await rmdir(dir).catch(() => undefined);
    },
  };
}

/** Moves the folder away in one rename first, so that nobody finds half a run. */
async function removeRun(dir: string): Promise<void> {
  const away = join(dirname(dir), `.removed-${basename(dir)}`);
  await rename(dir, away).catch(() => undefined);
  await rm(away, { recursive: true, force: true });
}

/** Distinguishes a folder from one that was created later in its place; undefined when it is gone. */
async function readFolderStamp(dir: string): Promise<string | undefined> {
  const looked = valueOnErrno('ENOENT', undefined, stat(dir, { bigint: true }));
  const found = await valueOnErrno('ENOTDIR', undefined, looked);
  return found?.isDirectory() === true ? `${found.dev} ${found.ino} ${found.birthtimeNs}` : undefined;
}

function isPath(run: string): boolean {
  return run.includes('/') || run.includes(sep);
}

function createTakenError(id: string, dir: string, cause?: unknown): HarnessError {
  const isBegun = existsSync(getArchivePath(dir)) || existsSync(join(dir, 'events/000000.json'));
  return takenId(id, { where: dir, isBegun, details: { dir }, cause });
}

async function createFolder(scenarioDir: string, id: string): Promise<FoundRun> {
  const dir = join(scenarioDir, 'runs', id);
  const named = { ...nameRun(scenarioDir, id), dir };
  const runs = dirname(dir);
  await mkdir(runs, { recursive: true });
  if (existsSync(getArchivePath(dir))) throw createTakenError(id, dir);
  try {
    await mkdir(dir);
  } catch (error) {
    throw getErrno(error) === 'EEXIST' ? createTakenError(id, dir, error) : error;
  }
  await syncFolder(runs);
  return named;
}

type RunSources = { find: () => Promise<FoundRun[]>; scenarioDirs: () => Promise<string[]> };

/** A name with a slash is always a path; a bare name may be a folder here when no run has that id. */
async function locateRun(run: string, { find, scenarioDirs }: RunSources): Promise<FoundRun> {
  const found = isPath(run) ? await runAt(resolve(run)) : (pickRun(run, await find()) ?? (await runAt(resolve(run))));
  if (found !== undefined) return found;
  refuseArchived(isPath(run) ? [resolve(run)] : (await scenarioDirs()).map((dir) => join(dir, 'runs', run)));
  if (!isPath(run)) {
    const ids = (await newestFirst(await find())).map(({ id }) => id);
    return noSuchRun(run, ids);
  }
  const message = `${run} is not a run folder: it has no events/000000.json. tandem status lists the runs.`;
  throw new HarnessError('not_found', message, { details: { dir: resolve(run) } });
}

/** A run folder may be anywhere: it is opened as it is, if it has a journal or is in a scenario's `runs/`. */
async function runAt(dir: string): Promise<FoundRun | undefined> {
  if ((await readFolderStamp(dir)) === undefined) return undefined;
  await refuseWorkingCopy(dir);
  const scenario = (await readCreation(dir))?.scenario ?? scenarioByPlace(dir);
  if (scenario === undefined) return undefined;
  const id = basename(dir);
  if (!isRunId(id)) throw badId(id);
  return { id, scenario, dir };
}
