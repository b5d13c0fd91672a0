/** Small files that processes leave for each other in a folder that all of them see. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { SharedFiles } from '../ports/shared-files.ts';
import { atomicWrite, createExclusive, TEMPORARY_PREFIX } from './atomic-write.ts';
import { confinePath, makeFolders, refuseLinks } from './confine.ts';
import { onDisk, valueOnErrno } from './disk-fault.ts';

/** `root` must exist. `linked` allows links below it, for folders in which no agent writes. */
export function openSharedFiles(root: string, { linked = false } = {}): SharedFiles {
  const placeOf = async (path: string): Promise<string> => {
    const place = confinePath(root, path);
    if (!linked) await refuseLinks(root, place);
    return place;
  };
  const placeFor = async (path: string): Promise<string> => {
    const place = await placeOf(path);
    await makeFolders(root, dirname(place));
    return place;
  };
  const textAt = (place: string) => valueOnErrno('ENOENT', undefined, readFile(place, 'utf8'));

  return {
    list: (folder) =>
      onDisk(`Looking at ${folder}`, async () => {
        const place = await placeOf(folder);
        const found = readdir(place, { recursive: true, withFileTypes: true });
        const items = (await valueOnErrno('ENOENT', [], found)).filter(
          (item) => item.isFile() && !item.name.startsWith(TEMPORARY_PREFIX),
        );
        const paths = items.map((item) => join(item.parentPath, item.name));
        const texts = await Promise.all(paths.map(async (path) => ({ path, text: await textAt(path) })));
        return new Map(
          texts.flatMap(({ path, text }) =>
            // The file was removed between the listing and the read.
            text === undefined ? [] : [[relative(place, path).replaceAll(sep, '/'), text] as const],
          ),
        );
      }),
    read: (path) => onDisk(`Reading ${path}`, async () => textAt(await placeOf(path))),
    write: (path, text) => onDisk(`Writing ${path}`, async () => atomicWrite(await placeFor(path), text)),
    create: (path, text) => onDisk(`Making ${path}`, async () => createExclusive(await placeFor(path), text)),
    take: (path, seen) =>
      onDisk(`Taking ${path} away`, async () => {
        const place = await placeOf(path);
        const aside = join(dirname(place), `${TEMPORARY_PREFIX}${randomBytes(8).toString('hex')}`);
        if ((await valueOnErrno('ENOENT', 'gone' as const, rename(place, aside))) === 'gone') return false;
        const taken = await readFile(aside, 'utf8');
        // A file that another process created in the meantime is put back.
        if (taken !== seen) await createExclusive(place, taken);
        await rm(aside, { force: true });
        return taken === seen;
      }),
    remove: (path) => onDisk(`Removing ${path}`, async () => rm(await placeOf(path), { recursive: true, force: true })),
  };
}
