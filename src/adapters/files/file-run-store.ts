/** The run store on disk: run folders under the scenarios' folders, found by id, by its beginning, or by path. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ArchivedRun, DraftRun, RunFolder, RunStore } from '../../ports/run-store.ts';
import { syncFolder } from '../../disk/atomic-write.ts';
import { errnoOf, onDisk } from '../../disk/disk-fault.ts';
import { sharedFilesIn } from '../../disk/shared-files.ts';
import { refuseWorkingCopy } from '../../disk/working-copy.ts';
import { creationOf, findScenarioDirs, isRunId, scenarioByPlace, type FoundRun } from './find-runs.ts';
import { archiveOf, archiveRun, findArchives } from './run-archive.ts';
import { newestArchive, orArchived, readOnly, removeRun, restoreRun, unpackedIn } from './archived-run.ts';
import { badId, noSuchRun, pickRun, refuseBadId, takenId } from './name-run.ts';
import { openRunFolder, type RunFolderOptions } from './run-folder.ts';
import { sweepRuns } from './sweep-runs.ts';
import { newestFirst, openRunListing } from './run-listing.ts';

export type FileRunStoreOptions = {
  /** Folders that hold scenario folders. */
  roots: readonly string[];
  clock: Clock;
  /** Names this process in `wip/`: any text, made safe here. */
  worker: string;
  /** Where archived runs are unpacked to be read; default: a folder of this user's. */
  cache?: string;
  /** Where events and money are, if elsewhere: the folders follow them. */
  sharedOf?: (run: FoundRun) => NonNullable<RunFolderOptions['shared']>;
};

/** Opened run folders that are used again; beyond it all are opened again. */
const MOST_OPEN = 256;

export function openFileRunStore(options: FileRunStoreOptions): RunStore {
  const { roots, cache } = options;
  /** Scenario folders outside of the roots that a run was created in. */
  const visited = new Set<string>();
  /** By folder: what was found once is not looked for again. */
  const known = new Map<string, FoundRun>();
  const open = new Map<string, { stamp: string; folder: RunFolder }>();
  const { folderAt, privateAt } = folderOpeners(options);

  const scenarioDirs = async () => [...(await findScenarioDirs(roots.map((root) => resolve(root)))), ...visited];
  const archives = async (): Promise<ArchivedRun[]> => findArchives(await scenarioDirs());
  const listing = openRunListing();
  const find = async (): Promise<FoundRun[]> => {
    const { runs, isNew } = await listing.find(await scenarioDirs());
    if (isNew) for (const run of runs) known.set(run.dir, run);
    return [...runs];
  };

  /** The same object for the same folder, so that what it has read of its files is not read again. */
  const openAt = async (run: FoundRun): Promise<RunFolder | undefined> => {
    const stamp = await stampOf(run.dir);
    if (stamp === undefined) return undefined;
    const before = open.get(run.dir);
    if (before?.stamp === stamp) return before.folder;
    if (open.size >= MOST_OPEN) open.clear();
    const folder = folderAt(run);
    open.set(run.dir, { stamp, folder });
    return folder;
  };

  const openByName = async (name: string): Promise<RunFolder> => {
    const before = amongKnown(name, known);
    const again = before && (await openAt(before));
    if (again !== undefined) return again;
    if (before !== undefined) known.delete(before.dir);
    const found = await orArchived(name, () => locate(name, find), archives);
    if ('file' in found) return archivedAt(found, privateAt({ ...found, dir: await unpackedIn(found, cache) }));
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
      onDisk(`Drafting run ${id}`, () => draftOf({ scenarioDir, id }, { privateAt, named, openByName })),
    open: (run) => onDisk(`Opening run ${run}`, () => openByName(run)),
    at: folderAt,
    archived: () => onDisk('Listing the archived runs', async () => (await archives()).toSorted(newestArchive)),
    archive: (run, about) => onDisk(`Archiving run ${run.id}`, () => archiveRun(run, about)),
    restore: (run) => onDisk(`Unpacking run ${run}`, () => restoreRun(run, () => locate(run, find), archives)),
    sweep: (how) => onDisk('Sweeping the run folders', async () => sweepRuns(await scenarioDirs(), Date.now(), how)),
    remove: ({ dir }) => onDisk(`Removing ${dir}`, () => removeRun(dir)),
    folders: () => onDisk('Listing the run folders', find),
    list: () => onDisk('Listing the runs', () => find().then(() => listing.newestFirst())),
  };
}

/** Unpacked elsewhere it still belongs to the scenario that its archive lies in. */
function archivedAt({ dir }: { dir: string }, unpacked: RunFolder): RunFolder {
  const scenarioDir = resolve(dir, '../..');
  if (basename(dirname(dir)) !== 'runs') return readOnly(unpacked);
  return { ...readOnly(unpacked), around: { dir: scenarioDir, labels: sharedFilesIn(scenarioDir, { linked: true }) } };
}

/** `privateAt`: a folder that nobody else has. */
function folderOpeners({ clock, worker, sharedOf }: FileRunStoreOptions) {
  const common = { clock, worker: worker.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 64) || 'worker' };
  return {
    privateAt: (run: FoundRun): RunFolder => openRunFolder(run, common),
    folderAt: (run: FoundRun): RunFolder =>
      openRunFolder(run, { ...common, ...omitUndefined({ shared: sharedOf?.(run) }) }),
  };
}

/** By its path or whole id; a beginning of an id may fit a run that is not known yet. */
function amongKnown(name: string, known: ReadonlyMap<string, FoundRun>): FoundRun | undefined {
  if (isPath(name)) return known.get(resolve(name));
  const [run, ...others] = [...known.values()].filter(({ id }) => id === name);
  return others.length === 0 ? run : undefined;
}

type Drafting = {
  privateAt: (run: FoundRun) => RunFolder;
  /** Takes the name, as an empty folder: when all is there, so that a fork that is killed holds no name. */
  named: (scenarioDir: string, id: string) => Promise<FoundRun>;
  openByName: (dir: string) => Promise<RunFolder>;
};

async function draftOf(
  { scenarioDir, id }: { scenarioDir: string; id: string },
  { privateAt, named, openByName }: Drafting,
): Promise<DraftRun> {
  const { scenario, dir } = nameRun(scenarioDir, id);
  if (isTaken(dir)) throw taken(id, dir);
  // No list and no worker looks there: until it is whole, it is no run.
  const hidden = join(dirname(dir), `.forking-${id}-${randomBytes(4).toString('hex')}`);
  await mkdir(hidden, { recursive: true });
  let isClaimed = false;
  return {
    run: privateAt({ id, scenario, dir: hidden }),
    publish: async () => {
      await named(scenarioDir, id);
      isClaimed = true;
      // The empty folder that holds the name gives way.
      await rename(hidden, dir);
      return openByName(dir);
    },
    drop: async () => {
      await rm(hidden, { recursive: true, force: true });
      if (isClaimed) await rmdir(dir).catch(() => undefined);
    },
  };
}

/** Distinguishes a folder from one that was made later in its place; undefined when it is gone. */
async function stampOf(dir: string): Promise<string | undefined> {
  const found = await stat(dir, { bigint: true }).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  });
  return found?.isDirectory() === true ? `${found.dev} ${found.ino} ${found.birthtimeNs}` : undefined;
}

function isPath(run: string): boolean {
  return run.includes('/') || run.includes(sep);
}

/** Where a run of that id lies. Contract: `usage` for what names none. */
function nameRun(scenarioDir: string, id: string): FoundRun {
  refuseBadId(id);
  if (!isAbsolute(scenarioDir)) {
    throw new HarnessError('usage', `${scenarioDir} is not absolute: give the whole path of the scenario's folder.`);
  }
  return { id, scenario: basename(scenarioDir), dir: join(scenarioDir, 'runs', id) };
}

function isTaken(dir: string): boolean {
  return existsSync(dir) || existsSync(archiveOf(dir));
}

function taken(id: string, dir: string, cause?: unknown): HarnessError {
  const isBegun = existsSync(archiveOf(dir)) || existsSync(join(dir, 'events/000000.json'));
  return takenId(id, { where: dir, isBegun, details: { dir }, cause });
}

async function createFolder(scenarioDir: string, id: string): Promise<FoundRun> {
  const named = nameRun(scenarioDir, id);
  const { dir } = named;
  const runs = dirname(dir);
  await mkdir(runs, { recursive: true });
  if (existsSync(archiveOf(dir))) throw taken(id, dir);
  try {
    await mkdir(dir);
  } catch (error) {
    throw errnoOf(error) === 'EEXIST' ? taken(id, dir, error) : error;
  }
  await syncFolder(runs);
  return named;
}

/** What was named with a slash is a path and nothing else; a bare name may be a folder here when no run has that id. */
async function locate(run: string, find: () => Promise<FoundRun[]>): Promise<FoundRun> {
  const found = isPath(run) ? await runAt(resolve(run)) : (pickRun(run, await find()) ?? (await runAt(resolve(run))));
  if (found !== undefined) return found;
  if (!isPath(run))
    return noSuchRun(
      run,
      (await newestFirst(await find())).map(({ id }) => id),
    );
  const message = `${run} is not a run folder: it has no events/000000.json. tandem status lists the runs.`;
  throw new HarnessError('not_found', message, { details: { dir: resolve(run) } });
}

/** A run folder may lie anywhere: it is opened unchanged, if it has a journal or is in a scenario's `runs/`. */
async function runAt(dir: string): Promise<FoundRun | undefined> {
  if ((await stampOf(dir)) === undefined) return undefined;
  await refuseWorkingCopy(dir);
  const scenario = (await creationOf(dir))?.scenario ?? scenarioByPlace(dir);
  if (scenario === undefined) return undefined;
  const id = basename(dir);
  if (!isRunId(id)) throw badId(id);
  return { id, scenario, dir };
}
