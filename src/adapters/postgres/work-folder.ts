/** The folder of a process with its working copies, in the user's cache; folders of earlier processes are swept. */
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning, getPidScope } from '../../disk/live-mark.ts';
import { WORKING_COPY } from '../../disk/working-copy.ts';

const FORGET_MS = 24 * 60 * 60_000;

/** Creates a folder for this process. Folders of processes that ended a day ago go: the store has all that counts. */
export async function createWorkFolder(shown: string): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tandem', 'store');
  const parent = await mkdir(cache, { recursive: true, mode: 0o700 }).then(
    () => cache,
    () => tmpdir(),
  );
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
