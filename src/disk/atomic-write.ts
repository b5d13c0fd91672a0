/** A file appears whole or not at all, and is on the disk when the promise resolves. */
import { randomUUID } from 'node:crypto';
import {
  close as closeByCallback,
  fsync,
  link as linkByCallback,
  open,
  rename as renameByCallback,
  unlink,
  writeFile,
} from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf, valueOnErrno } from './disk-fault.ts';

/** Hundreds of small files a run: without a handle object for each it costs half the processor time. */
const [write, hardLink, rename] = [promisify(writeFile), promisify(linkByCallback), promisify(renameByCallback)];
const [openNumber, sync, close] = [promisify(open), promisify(fsync), promisify(closeByCallback)];
const remove = promisify(unlink);

/** Readers skip names that begin so; a crash may leave one behind. */
export const TEMPORARY = '.tmp-';

/** Replaces `path`. Contract: its folder exists; when that folder is renamed away, this fails with ENOENT. */
export async function atomicWrite(path: string, content: string | Uint8Array): Promise<void> {
  await withFolder(dirname(path), async (syncNames) => {
    const temporary = await writeTemporary(path, content);
    try {
      await rename(temporary, path);
    } catch (error) {
      await removeIfThere(temporary);
      throw error;
    }
    await syncNames();
  });
}

export type Link = (existing: string, created: string) => Promise<void>;

/** Creates `path`, or answers false when it exists: the compare-and-swap of journal and spending. */
export async function createExclusive(path: string, content: string, link: Link = hardLink): Promise<boolean> {
  return withFolder(dirname(path), async (syncNames) => {
    const temporary = await writeTemporary(path, content);
    let swept: Promise<void> | undefined;
    const sweep = () => (swept ??= removeIfThere(temporary));
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
  { path, content, link }: { path: string; content: string; link: Link },
): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    // Over a network the answer may get lost and the request be repeated: then the link is there, and it is ours.
    if (errno === 'EEXIST') return isSameFile(temporary, path);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'].includes(errno)) throw error;
  }
  const written = await valueOnErrno('EEXIST', false as const, writeNew(path, content));
  return written !== false;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  // A mark may be taken away again between the two looks: it was somebody else's.
  const [first, second] = await Promise.all([stat(one), valueOnErrno('ENOENT', undefined, stat(other))]);
  return first.ino === second?.ino && first.dev === second.dev;
}

async function writeTemporary(path: string, content: string | Uint8Array): Promise<string> {
  const temporary = join(dirname(path), `${TEMPORARY}${randomUUID()}`);
  await writeNew(temporary, content);
  return temporary;
}

/** Contract: `EEXIST` leaves the existing file unchanged; any other failure leaves none. */
async function writeNew(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await write(path, content, { flag: 'wx', flush: true });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') await removeIfThere(path);
    throw error;
  }
}

export async function removeIfThere(path: string): Promise<void> {
  await valueOnErrno('ENOENT', undefined, remove(path));
}

/** Makes the names in a folder durable; systems that cannot sync a folder do not need it. */
export async function syncFolder(path: string): Promise<void> {
  await withFolder(path, (syncNames) => syncNames());
}

/** Errors of a system that cannot sync a folder. */
const NO_SYNC = new Set(['EINVAL', 'EPERM', 'EISDIR', 'EBADF', 'ENOTSUP']);

/**
 * Opens the folder while `work` writes into it: the caller waits for one trip to the disk less. If the folder was
 * renamed in between, the write itself fails, because it goes by path.
 */
async function withFolder<Result>(path: string, work: (sync: () => Promise<void>) => Promise<Result>): Promise<Result> {
  const opening = openNumber(path, 'r').then(
    (folder) => ({ folder }),
    (fault: unknown) => ({ fault }),
  );
  try {
    return await work(async () => {
      const opened = await opening;
      if ('folder' in opened) await syncOf(opened.folder);
      else if (errnoOf(opened.fault) === 'ENOENT') throw opened.fault;
    });
  } finally {
    const opened = await opening;
    if ('folder' in opened) await close(opened.folder);
  }
}

async function syncOf(folder: number): Promise<void> {
  try {
    await sync(folder);
  } catch (error) {
    if (!NO_SYNC.has(errnoOf(error) ?? '')) throw error;
  }
}

const ABANDONED_MS = 10 * 60 * 1000;

/** Deletes what dead writers left; a live writer's file is younger than that. */
export async function sweepTemporary(folder: string): Promise<void> {
  const names = await valueOnErrno('ENOENT', [], readdir(folder));
  for (const name of names.filter((candidate) => candidate.startsWith(TEMPORARY))) {
    const path = join(folder, name);
    const found = await valueOnErrno('ENOENT', undefined, stat(path));
    if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
}
