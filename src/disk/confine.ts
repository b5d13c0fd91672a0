/** Keeps relative paths inside their root, where neither `..` nor a symbolic link leads out of it, and lists what is there. */
import { lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { HarnessError } from '../errors.ts';
import { getErrno, valueOnErrno } from './disk-fault.ts';

/** Returns the absolute path of `path` under `root`. Throws `usage` for anything but plain segments joined by `/`. */
export function confinePath(root: string, path: string): string {
  const segments = path.split('/');
  const plain = segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  // The folder must be portable: a backslash or a control character means something else on another system.
  if (plain && !/[\p{Cc}\\]/u.test(path)) return join(root, ...segments);
  const message = `${JSON.stringify(path)} is not a plain relative path: name a place inside ${root}.`;
  throw new HarnessError('usage', message, { details: { root, path } });
}

/** Throws `data_corrupt` if `path` or a folder between it and `root` is a symbolic link; missing ones are fine. */
export async function refuseLinks(root: string, path: string): Promise<void> {
  const segments = relative(root, path).split(sep);
  for (let depth = 1; depth <= segments.length; depth += 1) {
    const here = join(root, ...segments.slice(0, depth));
    const found = await valueOnErrno('ENOENT', undefined, lstat(here));
    if (found === undefined) return;
    if (found.isSymbolicLink()) {
      const message = `${here} is a symbolic link, and what it points at is not part of the run: delete the link.`;
      throw new HarnessError('data_corrupt', message, { details: { path: here } });
    }
  }
}

/** Creates the folders between `root` and `path`, never `root` itself: a root that was renamed away stays away. */
export async function makeFolders(root: string, path: string): Promise<void> {
  if (path === root) return;
  await mkdir(path).catch(async (error: unknown) => {
    if (getErrno(error) === 'EEXIST') return;
    if (getErrno(error) !== 'ENOENT' || dirname(path) === root) throw error;
    await makeFolders(root, dirname(path));
    await makeFolders(root, path);
  });
}

/** True for a device name of Windows, with any extension: such a file or folder cannot be unpacked there. */
export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);
}

/** Returns relative paths with `/`, sorted by code unit so that every machine makes the same manifest. */
export async function walkFiles(root: string): Promise<string[]> {
  const files = await listFilesBelow(root, '');
  return files.sort((one, other) => (one < other ? -1 : 1));
}

async function listFilesBelow(root: string, below: string): Promise<string[]> {
  const found: string[] = [];
  for (const item of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? item.name : `${below}/${item.name}`;
    if (item.isDirectory()) found.push(...(await listFilesBelow(root, path)));
    else if (item.isFile()) found.push(path);
    else throw createSpecialFileError(root, path);
  }
  return found;
}

/** Returns the folder itself and every folder below it, parents before children. */
export async function walkFolders(root: string): Promise<string[]> {
  const items = await readdir(root, { withFileTypes: true });
  const folders = items.filter((item) => item.isDirectory());
  const below = await Promise.all(folders.map((item) => walkFolders(join(root, item.name))));
  return [root, ...below.flat()];
}

function createSpecialFileError(root: string, path: string): HarnessError {
  const message = `${join(root, path)} is neither a file nor a folder (a link, a pipe or a device): remove it.`;
  return new HarnessError('data_corrupt', message, { details: { path } });
}
