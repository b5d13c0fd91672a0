/** Small files that processes leave for each other, in a folder that all of them see. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { SharedFiles } from '../ports/shared-files.ts';
import { atomicWrite, createExclusive, TEMPORARY } from './atomic-write.ts';
import { confine, makeFolders, refuseLinks } from './confine.ts';
import { onDisk, valueOnErrno } from './disk-fault.ts';

/** `root` is there. `linked`: no agent writes there, and a folder in it may be a link. */
export function sharedFilesIn(root: string, { linked = false } = {}): SharedFiles {
  const placeOf = async (path: string): Promise<string> => {
    const place = confine(root, path);
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
          (item) => item.isFile() && !item.name.startsWith(TEMPORARY),
        );
        const paths = items.map((item) => join(item.parentPath, item.name));
        const texts = await Promise.all(paths.map(async (path) => ({ path, text: await textAt(path) })));
        return new Map(
          texts.flatMap(({ path, text }) =>
            // Its process has taken it away meanwhile.
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
        const aside = join(dirname(place), `${TEMPORARY}${randomBytes(8).toString('hex')}`);
        if ((await valueOnErrno('ENOENT', 'gone' as const, rename(place, aside))) === 'gone') return false;
        const taken = await readFile(aside, 'utf8');
        // One that another process has made since is put back.
        if (taken !== seen) await createExclusive(place, taken);
        await rm(aside, { force: true });
        return taken === seen;
      }),
    remove: (path) => onDisk(`Removing ${path}`, async () => rm(await placeOf(path), { recursive: true, force: true })),
  };
}
