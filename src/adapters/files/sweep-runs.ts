/** Removes the leftovers of a process that was killed during a fork or a removal of runs. */
import { readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { existsSync } from 'node:fs';
import { getErrno, valueOnErrno } from '../../disk/disk-fault.ts';
import { walkFolders } from '../../disk/walk-files.ts';
import { isRunId } from './find-runs.ts';
import { getArchivePath } from './run-name-lookup.ts';

/** Much longer than any of these operations takes. */
const ABANDONED_MS = 60 * 60_000;
const LEFT = /^\.(forking|unpacking|removed|archived)-(.+)$/;

/** `empty`: also removes empty run folders, which costs a look into each; `only`: removes nothing, as a folder keeps no old versions. */
export type SweepOptions = { dryRun?: boolean | undefined; empty?: boolean | undefined; only?: string | undefined };

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
