/** A live try at one step: its folder, and what it remembers of the calls that were paid for. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Attempt } from '../../ports/artifacts.ts';
import { atomicWrite, createExclusive } from '../../disk/atomic-write.ts';
import { guardAttempt } from '../../disk/attempt-folder.ts';
import { confinePath, makeFolders } from '../../disk/confine.ts';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { parseJsonFile } from '../../disk/parse-file.ts';
import { openGroupedWrites } from './grouped-writes.ts';

/** Every write goes by path: after a takeover the path is gone, and so is the right to write. */
export function createAttempt(step: string, dir: string, target: string): Attempt {
  const [out, turns] = [join(dir, 'out'), join(dir, 'turns')];
  const together = openGroupedWrites(dir);
  let inode: number | undefined;
  return {
    step,
    dir,
    out,
    target,
    exists: () =>
      onDisk(`Looking for ${step}`, async () => {
        const found = await valueOnErrno('ENOENT', undefined, stat(dir));
        // A folder of the same name that somebody made after a takeover is another folder.
        inode ??= found?.ino;
        return found !== undefined && found.ino === inode;
      }),
    write: (path, content) =>
      onDisk(`Writing ${path} of ${step}`, () =>
        guardAttempt(step, dir, () => writeFile(confinePath(out, path), content)),
      ),
    recall: (name) =>
      onDisk(`Recalling ${name} of ${step}`, async () => {
        const path = confinePath(turns, `${name}.json`);
        const alone = async () => parseJsonFile(await readFile(path, 'utf8'), `turns/${name}.json of ${step}`);
        return guardAttempt(step, dir, () => together.read(name, alone));
      }),
    remember: (name, value) =>
      onDisk(`Remembering ${name} of ${step}`, () => {
        const path = confinePath(turns, `${name}.json`);
        // People read the calls of agents; the records of trials hold whole traces.
        const alone = () => writeAlone(dir, path, `${JSON.stringify(value, null, isShared(name) ? 0 : 2)}\n`);
        return guardAttempt(step, dir, () => (isShared(name) ? alone() : together.write(name, value, alone)));
      }),
    // By path, so that after a takeover it cannot get into the new attempt.
    rememberFirst: (name, value) =>
      onDisk(`Remembering ${name} of ${step}`, () =>
        guardAttempt(step, dir, async () => {
          const path = confinePath(turns, `${name}.json`);
          await makeFolders(dir, dirname(path));
          await createExclusive(path, `${JSON.stringify(value, null, 2)}\n`);
        }),
      ),
    remembered: (lane) =>
      onDisk(`Looking for ${lane} of ${step}`, async () => {
        const names = await valueOnErrno('ENOENT', [], readdir(confinePath(turns, lane)));
        if (names.length === 0) await guardAttempt(step, dir, () => stat(dir));
        return names.flatMap((name) => (name.endsWith('.json') && !name.startsWith('.') ? [name.slice(0, -5)] : []));
      }),
    forget: (lane) =>
      onDisk(`Forgetting ${lane} of ${step}`, () => rm(confinePath(turns, lane), { recursive: true, force: true })),
    // Workers elsewhere read this very folder.
    share: () => Promise.resolve(),
  };
}

/** The records of trials are looked for by other workers, each under its own name. */
function isShared(name: string): boolean {
  return name.startsWith('trials/');
}

async function writeAlone(dir: string, path: string, text: string): Promise<void> {
  // Once in a lane the folder is missing; asking before each call would be a trip to the disk for nothing.
  if ((await valueOnErrno('ENOENT', 'missing' as const, atomicWrite(path, text))) !== 'missing') return;
  await makeFolders(dir, dirname(path));
  await atomicWrite(path, text);
}
