/** `remove` and `rename` one file of the agent's own, confined like a write; an existing file is never overwritten. */
import { lstat, mkdir, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { displayPath, FileToolError, locateWritable, type OwnedMount, type ResolvedPath } from './mounts.ts';

export async function removeFile(path: string, mounts: readonly OwnedMount[]): Promise<string> {
  const place = await locateOwnFile(path, mounts);
  await unlink(place.real);
  await dropEmptyFolders(place);
  return `removed ${place.logical}`;
}

export async function renameFile(
  { file_path, new_path }: { file_path: string; new_path: string },
  mounts: readonly OwnedMount[],
): Promise<string> {
  const from = await locateOwnFile(file_path, mounts);
  const to = await locateWritable(new_path, mounts);
  if ((await readPathKind(to.real)) !== undefined || to.logical === to.mount.logical)
    throw new FileToolError(`${displayPath(new_path)} is taken: remove it first, or choose another path.`);
  await mkdir(dirname(to.real), { recursive: true });
  await rename(from.real, to.real);
  await dropEmptyFolders(from);
  return `renamed ${from.logical} to ${to.logical}`;
}

async function locateOwnFile(path: string, mounts: readonly OwnedMount[]): Promise<ResolvedPath> {
  const place = await locateWritable(path, mounts);
  const kind = await readPathKind(place.real);
  if (kind === undefined) throw new FileToolError(`${displayPath(path)} does not exist.`);
  if (kind === 'folder') throw new FileToolError(`${displayPath(path)} is a folder: name a file in it.`);
  return place;
}

async function readPathKind(real: string): Promise<'file' | 'folder' | undefined> {
  const found = await valueOnErrno('ENOENT', undefined, lstat(real));
  return found === undefined ? undefined : found.isDirectory() ? 'folder' : 'file';
}

/** Removes empty folders up to the agent's own, which stays, because an attempt without it counts as taken over. */
async function dropEmptyFolders({ logical, mount, real }: ResolvedPath): Promise<void> {
  const depth = logical.slice(mount.logical.length).split('/').filter(Boolean).length - 1;
  let folder = dirname(real);
  for (let left = depth; left > 0; left -= 1) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
    folder = dirname(folder);
  }
}
