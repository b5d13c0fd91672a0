/** Writes files atomically: a file appears whole or not at all, and is on the disk when the promise resolves. */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { getErrno, valueOnErrno } from './disk-fault.ts';

/** A run writes hundreds of small files; without a handle object for each, this takes half the processor time. */
const [write, hardLink, rename] = [promisify(fs.writeFile), promisify(fs.link), promisify(fs.rename)];
const [openNumber, sync, close] = [promisify(fs.open), promisify(fs.fsync), promisify(fs.close)];
const removeFile = promisify(fs.unlink);

/** Readers skip names with this prefix; a crash may leave such a file behind. */
export const TEMPORARY_PREFIX = '.tmp-';

/** Replaces `path`. Contract: its folder exists; if that folder is renamed away, the write fails with ENOENT. */
export async function atomicWrite(path: string, content: string | Uint8Array): Promise<void> {
  await withOpenFolder(dirname(path), async (syncNames) => {
    const temporary = await writeTemporary(path, content);
    try {
      await rename(temporary, path);
    } catch (error) {
      await removeIfExists(temporary);
      throw error;
    }
    await syncNames();
  });
}

export type CreateLink = (existing: string, created: string) => Promise<void>;

/** Creates `path`, or returns false when it exists: the compare-and-swap of the journal and the spending ledger. */
export async function createExclusive(path: string, content: string, link: CreateLink = hardLink): Promise<boolean> {
  return withOpenFolder(dirname(path), async (syncNames) => {
    const temporary = await writeTemporary(path, content);
    let swept: Promise<void> | undefined;
    const sweep = () => (swept ??= removeIfExists(temporary));
    try {
      const created = await linkOrCreate(temporary, { path, content, link });
      if (created) await Promise.all([syncNames(), sweep()]);
      return created;
    } finally {
      await sweep();
    }
  });
}

async function linkOrCreate(
  temporary: string,
  { path, content, link }: { path: string; content: string; link: CreateLink },
): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    const errno = getErrno(error) ?? '';
    // A network file system may lose the answer and repeat the request: then the link exists, and it is ours.
    if (errno === 'EEXIST') return isSameFile(temporary, path);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'].includes(errno)) throw error;
  }
  const written = await valueOnErrno('EEXIST', false as const, writeNewFile(path, content));
  return written !== false;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  // The other file may be removed between the two `stat` calls; then it was another process's.
  const [first, second] = await Promise.all([stat(one), valueOnErrno('ENOENT', undefined, stat(other))]);
  return first.ino === second?.ino && first.dev === second.dev;
}

async function writeTemporary(path: string, content: string | Uint8Array): Promise<string> {
  const temporary = join(dirname(path), `${TEMPORARY_PREFIX}${randomUUID()}`);
  await writeNewFile(temporary, content);
  return temporary;
}

/** Contract: on `EEXIST` the existing file is unchanged; after any other failure no file is left. */
async function writeNewFile(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await write(path, content, { flag: 'wx', flush: true });
  } catch (error) {
    if (getErrno(error) !== 'EEXIST') await removeIfExists(path);
    throw error;
  }
}

export async function removeIfExists(path: string): Promise<void> {
  await valueOnErrno('ENOENT', undefined, removeFile(path));
}

/** Makes the names in a folder durable. Systems that cannot sync a folder do not need it. */
export async function syncFolder(path: string): Promise<void> {
  await withOpenFolder(path, (syncNames) => syncNames());
}

/** The error codes of systems that cannot sync a folder. */
const SYNC_UNSUPPORTED = new Set(['EINVAL', 'EPERM', 'EISDIR', 'EBADF', 'ENOTSUP']);

/**
 * Opens the folder while `work` writes into it, which saves one trip to the disk. If the folder was renamed in between,
 * the write itself fails, because it goes by path.
 */
async function withOpenFolder<Result>(
  path: string,
  work: (sync: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const opening = openNumber(path, 'r').then(
    (folder) => ({ folder }),
    (fault: unknown) => ({ fault }),
  );
  try {
    return await work(async () => {
      const opened = await opening;
      if ('folder' in opened) await syncDescriptor(opened.folder);
      else if (getErrno(opened.fault) === 'ENOENT') throw opened.fault;
    });
  } finally {
    const opened = await opening;
    if ('folder' in opened) await close(opened.folder);
  }
}

async function syncDescriptor(folder: number): Promise<void> {
  try {
    await sync(folder);
  } catch (error) {
    if (!SYNC_UNSUPPORTED.has(getErrno(error) ?? '')) throw error;
  }
}

const ABANDONED_MS = 10 * 60 * 1000;

/** Deletes the temporary files of dead writers; the file of a live writer is younger than ten minutes. */
export async function sweepTemporaryFiles(folder: string): Promise<void> {
  const names = await valueOnErrno('ENOENT', [], readdir(folder));
  const candidates = names.filter((name) => name.startsWith(TEMPORARY_PREFIX));
  if (candidates.length === 0) return;
  // The clock that dates the files counts: that of this machine may be an hour ahead.
  const own = await writeTemporary(join(folder, 'clock'), '');
  const { mtimeMs: now } = await stat(own);
  await removeIfExists(own);
  for (const name of candidates) {
    const path = join(folder, name);
    const found = await valueOnErrno('ENOENT', undefined, stat(path));
    if (found !== undefined && now - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
}
