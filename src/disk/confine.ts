/** Keeps relative paths inside their root: neither `..` nor a symbolic link leads out of it. */
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { HarnessError } from '../errors.ts';
import { getErrno } from './disk-fault.ts';

/** Returns the absolute path of `path` under `root`. Throws `usage` for anything but plain segments joined by `/`. */
export function confinePath(root: string, path: string): string {
  const segments = path.split('/');
  const plain = segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  // The folder must be portable: a backslash or a control character means something else on another system.
  if (!plain || /[\p{Cc}\\]/u.test(path)) {
    throw new HarnessError(
      'usage',
      `${JSON.stringify(path)} is not a plain relative path: name a place inside ${root}.`,
      {
        details: { root, path },
      },
    );
  }
  return join(root, ...segments);
}

/** Throws `data_corrupt` if `path` or a folder between it and `root` is a symbolic link; missing ones are fine. */
export async function refuseLinks(root: string, path: string): Promise<void> {
  const segments = relative(root, path).split(sep);
  for (let depth = 1; depth <= segments.length; depth += 1) {
    const here = join(root, ...segments.slice(0, depth));
    const found = await lstat(here).catch((error: unknown) => {
      if (getErrno(error) === 'ENOENT') return undefined;
      throw error;
    });
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
