/** Relative paths stay inside their root: no way up, no way around by a symbolic link. */
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { HarnessError } from '../errors.ts';
import { errnoOf } from './disk-fault.ts';

/** The absolute path of `path` under `root`. Contract: `usage` for anything but plain segments divided by `/`. */
export function confine(root: string, path: string): string {
  const segments = path.split('/');
  const plain = segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  // A backslash or a control character means something else on another system, and the folder must be portable.
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

/** Contract: `data_corrupt` when `path` or a folder between it and `root` is a symbolic link. What is missing is fine. */
export async function refuseLinks(root: string, path: string): Promise<void> {
  const segments = relative(root, path).split(sep);
  for (let depth = 1; depth <= segments.length; depth += 1) {
    const here = join(root, ...segments.slice(0, depth));
    const found = await lstat(here).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (found === undefined) return;
    if (found.isSymbolicLink()) {
      const message = `${here} is a symbolic link, and what it points at is not part of the run: delete the link.`;
      throw new HarnessError('data_corrupt', message, { details: { path: here } });
    }
  }
}

/** Makes the folders between `root` and `path`, never `root` itself: a root that has been renamed away stays away. */
export async function makeFolders(root: string, path: string): Promise<void> {
  if (path === root) return;
  await mkdir(path).catch(async (error: unknown) => {
    if (errnoOf(error) === 'EEXIST') return;
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === root) throw error;
    await makeFolders(root, dirname(path));
    await makeFolders(root, path);
  });
}

/** A name of Windows' devices, with any ending: a folder or a repository that holds one cannot be unpacked there. */
export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);
}
