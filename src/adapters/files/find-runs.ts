/** Finds runs in every `<root>/<scenario>/runs/<id>`, by name too, and sweeps what killed processes have left there. */
import { readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { Slug } from '../../scenario/brief.ts';
import { getErrno, valueOnErrno } from '../../disk/disk-fault.ts';
import { toNumberedName } from '../../disk/numbered-files.ts';
import { parseOrNone } from '../../disk/parse-file.ts';
import { existsSync } from 'node:fs';
import { HarnessError, usageError } from '../../errors.ts';
import { isDeviceName, walkFolders } from '../../disk/confine.ts';
import { omitUndefined } from '../../omit-undefined.ts';

/** An id must be a valid folder name on every system, because it is also part of a job's id. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export function isRunId(id: string): boolean {
  return RUN_ID.test(id);
}

export type FoundRun = { id: string; scenario: string; dir: string };

/** Lists every run folder of these scenario folders, in no order. */
export async function findRuns(scenarioDirs: readonly string[]): Promise<FoundRun[]> {
  const found = await Promise.all(
    [...new Set(scenarioDirs)].map(async (scenarioDir) => {
      const names = await foldersIn(join(scenarioDir, 'runs'));
      return names
        .filter(isRunId)
        .map((id) => ({ id, scenario: basename(scenarioDir), dir: join(scenarioDir, 'runs', id) }));
    }),
  );
  return found.flat();
}

export async function findScenarioDirs(roots: readonly string[]): Promise<string[]> {
  const found = await Promise.all(roots.map(async (root) => (await foldersIn(root)).map((name) => join(root, name))));
  return found.flat();
}

/** Lists folders only, because a link may lead anywhere, even back to this folder. */
async function foldersIn(path: string): Promise<string[]> {
  const found = valueOnErrno('ENOENT', [], readdir(path, { withFileTypes: true }));
  const items = await valueOnErrno('ENOTDIR', [], found);
  return items.filter((item) => item.isDirectory()).map((item) => item.name);
}

const FirstEvent = z.object({ ts: z.string(), body: z.object({ scenario: Slug }) });

/** Reads when a run was created and for which scenario; undefined when its first event is missing or unreadable. */
export async function readCreation(dir: string): Promise<{ ts: string; scenario: string } | undefined> {
  const text = await valueOnErrno('ENOENT', undefined, readFile(join(dir, 'events', toNumberedName(0)), 'utf8'));
  // Reading the journal reports a fault; a list of runs must not fail because of one run.
  const first = text === undefined ? undefined : parseOrNone(FirstEvent, text);
  return first && { ts: first.ts, scenario: first.body.scenario };
}

/** The scenario according to a folder's place: `<scenario>/runs/<id>`. */
export function scenarioByPlace(dir: string): string | undefined {
  const scenario = basename(dirname(dirname(dir)));
  return basename(dirname(dir)) === 'runs' && Slug.safeParse(scenario).success ? scenario : undefined;
}

/** The run with that id, or the only one whose id begins so. */
export function pickRun(run: string, runs: readonly FoundRun[]): FoundRun | undefined {
  if (run === '') return undefined;
  const exact = runs.filter(({ id }) => id === run);
  const candidates = exact.length > 0 ? exact : runs.filter(({ id }) => id.startsWith(run));
  if (candidates.length <= 1) return candidates[0];
  const dirs = candidates.map(({ dir }) => dir);
  const message = `${run} could be ${formatFirstTen(dirs)}: name one of them by its whole id or its path.`;
  throw new HarnessError('not_found', message, { details: { run, candidates: dirs.slice(0, 20) } });
}

/** `ids` of all runs, newest first. */
export function noSuchRun(run: string, ids: readonly string[]): never {
  const there =
    ids.length === 0 ? 'There are no runs yet: tandem run <scenario> starts one.' : `There are ${formatFirstTen(ids)}.`;
  throw new HarnessError('not_found', `No run is named ${JSON.stringify(run)}. ${there}`, { details: { run } });
}

/** The file that earlier versions put in the place of an ended run. */
export function getArchivePath(dir: string): string {
  return `${dir}.tar.gz`;
}

/** Contract: `not_found` says how an archive of one of these folders becomes a run again. */
export function refuseArchived(dirs: readonly string[]): void {
  const file = dirs
    .map((dir) => (dir.endsWith('.tar.gz') ? dir : getArchivePath(dir)))
    .find((path) => existsSync(path));
  if (file === undefined) return;
  const message = `${file} is a run that an earlier version archived. Unpack it: tar -xzf ${file} -C ${dirname(file)} --exclude archive.json`;
  throw new HarnessError('not_found', message, { details: { file } });
}

/** Names a new run. Contract: `usage` for an invalid id or scenario; old runs are found under any name. */
export function nameRun(scenarioDir: string, id: string): Pick<FoundRun, 'id' | 'scenario'> {
  if (!isRunId(id)) throw badId(id);
  if (isDeviceName(id)) throw usageError(`${JSON.stringify(id)} cannot name a run: it is a device on Windows.`);
  if (isAbsolute(scenarioDir)) return { id, scenario: basename(scenarioDir) };
  throw usageError(`${scenarioDir} is not absolute: give the whole path of the scenario's folder.`);
}

export function badId(id: string): HarnessError {
  return usageError(`${JSON.stringify(id)} cannot name a run: expected letters, digits, dashes, at most 100.`);
}

type TakenId = {
  where: string;
  /** False for a run without a first event, which cannot be continued. */
  isBegun: boolean;
  details?: { dir: string };
  cause?: unknown;
};

/** Creates the error for an id that is taken, with the way out. */
export function takenId(id: string, { where, isBegun, details, cause }: TakenId): HarnessError {
  const [what, next] = isBegun
    ? [`exists already`, `choose another id, or tandem resume ${id}`]
    : [
        'has no first event: it is being made, or who made it was killed',
        `choose another id, or begin it there: tandem run <scenario> --id ${id} --continue`,
      ];
  return new HarnessError('usage', `A run ${id} (${where}) ${what}: ${next}.`, omitUndefined({ details, cause }));
}

function formatFirstTen(names: readonly string[]): string {
  const rest = names.length - 10;
  return `${names.slice(0, 10).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Much longer than any of these operations takes. */
const ABANDONED_MS = 60 * 60_000;
const LEFT = /^\.(forking|unpacking|removed|archived)-(.+)$/;

/** `empty`: also removes empty run folders, which costs a look into each; `only`: removes nothing, as a folder keeps no old versions. */
type SweepOptions = { dryRun?: boolean | undefined; empty?: boolean | undefined; only?: string | undefined };

/**
 * Contract: removes only files that no process works on any more; a moved run without an archive is restored. Resolves
 * with its actions, or with those that it would take under `dryRun`.
 */
export async function sweepRuns(
  scenarioDirs: readonly string[],
  nowMs: number,
  { dryRun = false, empty = false, only }: SweepOptions = {},
): Promise<string[]> {
  if (only !== undefined) return [];
  const done: string[] = [];
  for (const scenarioDir of scenarioDirs) {
    const runs = join(scenarioDir, 'runs');
    for (const name of await valueOnErrno('ENOENT', [], readdir(runs))) {
      const [, kind, id = ''] = LEFT.exec(name) ?? [];
      if (kind === undefined) {
        if (empty) done.push(...(await sweepEmpty(join(runs, name), nowMs, dryRun)));
      } else if (await isAbandoned(join(runs, name), nowMs))
        done.push(
          dryRun ? `${name} was left by a process that was killed` : await sweepLeftover(runs, { name, kind, id }),
        );
    }
  }
  return done;
}

/** Compares the change times (ctime) of its folders, because a move updates no other time. */
async function isAbandoned(path: string, nowMs: number): Promise<boolean> {
  const folders = await valueOnErrno('ENOENT', [], walkFolders(path));
  const times = await Promise.all(
    folders.map(async (folder) => (await valueOnErrno('ENOENT', undefined, stat(folder)))?.ctimeMs ?? 0),
  );
  return times.every((time) => nowMs - time > ABANDONED_MS);
}

/** A run has its first event before anything else, so a folder with any other file belongs to somebody and stays. */
async function sweepEmpty(dir: string, nowMs: number, dryRun: boolean): Promise<string[]> {
  if (!isRunId(basename(dir)) || !(await isEmpty(dir))) return [];
  if (!(await isAbandoned(dir, nowMs))) return [];
  if (!dryRun) await rmdir(dir).catch(ignoreUsed);
  return [`${basename(dir)} is empty, left by a process that was killed${dryRun ? '' : ', and is removed'}`];
}

async function isEmpty(dir: string): Promise<boolean> {
  return (await valueOnErrno('ENOTDIR', [''], valueOnErrno('ENOENT', [''], readdir(dir)))).length === 0;
}

async function sweepLeftover(
  runs: string,
  { name, kind, id }: { name: string; kind: string; id: string },
): Promise<string> {
  const path = join(runs, name);
  const dir = join(runs, id);
  if (kind === 'archived') {
    // An earlier version was killed while it archived the run: the folder is whole, and the file may not be.
    if (existsSync(dir)) return `${name} stays: ${id} is there, too`;
    await rename(path, dir);
    await rm(getArchivePath(dir), { force: true });
    return `${id} is a run again: it was not archived whole`;
  }
  await rm(path, { recursive: true, force: true });
  // This removes the empty folder that held the name of a fork.
  if (kind === 'forking') await rmdir(dir).catch(ignoreUsed);
  return `${name} was left by a process that was killed, and is removed`;
}

function ignoreUsed(error: unknown): void {
  if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(getErrno(error) ?? '')) throw error;
}
