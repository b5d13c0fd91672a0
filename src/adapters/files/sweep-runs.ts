/** Removes the leftovers of a process that was killed during a fork, an archive or a removal of runs. */
import { readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { getErrno, valueOnErrno } from '../../disk/disk-fault.ts';
import { sha256 } from '../../disk/sha256.ts';
import { walkFiles, walkFolders } from '../../disk/walk-files.ts';
import { isRunId } from './find-runs.ts';
import { getArchivePath, readArchive } from './run-archive.ts';

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
  if (kind === 'archived' && !(await isHeldBy(getArchivePath(dir), path))) {
    // Something was written between the copy and the move, so the folder is the valid run.
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

async function isHeldBy(archive: string, folder: string): Promise<boolean> {
  const held = await readArchive(archive).catch(() => undefined);
  if (held === undefined) return false;
  for (const path of await walkFiles(folder))
    if (held.head.files[path] !== sha256(await readFile(join(folder, path)))) return false;
  return true;
}
