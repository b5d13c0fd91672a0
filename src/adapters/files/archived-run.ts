/** Opens an archived run for commands: it is found by the names of its folder, unpacked for this user only, and read-only. */
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { HarnessError, isHarnessError } from '../../errors.ts';
import type { ArchivedRun, RunFolder } from '../../ports/run-store.ts';
import { sha256 } from '../../disk/sha256.ts';
import { getArchivePath, readArchive, unpackRun } from './run-archive.ts';

const FORGET_MS = 24 * 60 * 60_000;

type FoundArchive = { id: string; scenario: string; dir: string; file: string };

type Archives = () => Promise<readonly ArchivedRun[]>;

/** Looks for a folder first, then for an archive. */
export async function findWithArchived<Folder>(
  run: string,
  locate: () => Promise<Folder>,
  archives: Archives,
): Promise<Folder | FoundArchive> {
  try {
    return await locate();
  } catch (error) {
    const archived = isHarnessError(error, 'not_found') ? await locateArchive(run, archives) : undefined;
    if (archived === undefined) throw error;
    return archived;
  }
}

export async function restoreRun(run: string, locate: () => Promise<object>, archives: Archives): Promise<void> {
  const found = await findWithArchived(run, locate, archives).catch((error: unknown) => {
    if (!isHarnessError(error, 'not_found')) throw error;
  });
  if (found === undefined || !('file' in found)) return;
  await unpackRun(found.file, found.dir);
  await rm(found.file);
}

/** Finds an archive by its run's id, an unambiguous beginning of it, its former folder, or the path of the file. */
async function locateArchive(run: string, archives: Archives): Promise<FoundArchive | undefined> {
  const path = resolve(run);
  const file = path.endsWith('.tar.gz') ? path : getArchivePath(path);
  if (await isFile(file)) {
    const { id, scenario } = (await readArchive(file)).head;
    return { id, scenario, dir: join(dirname(file), id), file };
  }
  const all = await archives();
  const found = all.filter(({ id }) => id === run);
  const [first, ...others] = found.length > 0 ? found : all.filter(({ id }) => id.startsWith(run));
  if (others.length === 0) return first;
  throw new HarnessError(
    'not_found',
    `${run} could be one of ${others.length + 1} archived runs: name it by its path.`,
  );
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

export function newestArchive(one: ArchivedRun, other: ArchivedRun): number {
  return one.about.createdAt < other.about.createdAt ? 1 : -1;
}

/** Unpacks the archive into the layout of a project, once for each version of the archive. */
export async function unpackedIn({ id, scenario, file }: FoundArchive, cache = ownCache()): Promise<string> {
  const { size, mtimeMs } = await stat(file);
  const name = sha256(`${file} ${size} ${mtimeMs}`).slice(0, 24);
  const root = await mkdir(cache, { recursive: true, mode: 0o700 }).then(
    () => cache,
    () => mkdtemp(join(tmpdir(), 'tandem-archived-')),
  );
  const dir = join(root, name, 'scenarios', scenario, 'runs', id);
  if (await stat(dir).catch(() => undefined)) return dir;
  await forgetOld(root);
  await mkdir(dirname(dir), { recursive: true, mode: 0o700 });
  // The copy is not synced to disk, because it is made again when a crash loses it.
  await unpackRun(file, dir, (path, content) => writeFile(path, content));
  return dir;
}

/** Removes old copies; an archive that is opened again is unpacked again. */
async function forgetOld(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const { mtimeMs } = await stat(join(root, name));
    if (Date.now() - mtimeMs > FORGET_MS) await rm(join(root, name), { recursive: true, force: true });
  }
}

function ownCache(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tandem', 'archived');
}

/** Refuses every write, because the unpacked copy is temporary. */
export function readOnly(run: RunFolder): RunFolder {
  const refuse = async (): Promise<never> => {
    throw new HarnessError(
      'usage',
      `Run ${run.id} is archived: it is only read. tandem runs unpack ${run.id} makes it a folder again.`,
    );
  };
  return {
    ...run,
    journal: { ...run.journal, append: refuse },
    spending: { ...run.spending, reserve: refuse },
    write: refuse,
    writeOnce: refuse,
  };
}

/** Moves the folder away in one rename first, so that nobody finds half a run. */
export async function removeRun(dir: string): Promise<void> {
  await rm(getArchivePath(dir), { force: true });
  const away = join(dirname(dir), `.removed-${basename(dir)}`);
  await rename(dir, away).catch(() => undefined);
  await rm(away, { recursive: true, force: true });
}
