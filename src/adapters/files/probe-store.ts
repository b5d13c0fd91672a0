/** Tests whether a disk has the guarantees that runs rely on. */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '../../errors.ts';
import { createExclusive, syncFolder } from '../../disk/atomic-write.ts';
import { getErrno } from '../../disk/disk-fault.ts';

const PROMISES: readonly (readonly [name: string, check: (dir: string) => Promise<void>])[] = [
  ['a file is created once', createdOnce],
  ['hard links work', hardLinks],
  ['a rename leaves a full folder alone', renameKeeps],
  ['a rename takes the old path away', renameFences],
  ['files and folders can be synced', writeSynced],
];

/** Tests each guarantee in a new folder below `dir`. Contract: one sentence per broken guarantee; never throws. */
export async function probeStore(dir: string): Promise<string[]> {
  const place = join(dir, `.tandem-probe-${randomUUID()}`);
  const faults: string[] = [];
  try {
    await mkdir(place);
    for (const [name, check] of PROMISES) {
      await check(place).catch((error: unknown) => faults.push(`${name}: not here (${describeError(error)})`));
    }
    await rm(place, { recursive: true, force: true });
  } catch (error) {
    faults.push(`a folder can be made and removed: not here (${describeError(error)})`);
  }
  return faults;
}

async function createdOnce(dir: string): Promise<void> {
  const path = join(dir, 'once.json');
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => createExclusive(path, `${index}`)));
  const winners = answers.flatMap((won, index) => (won ? [`${index}`] : []));
  if (winners.length !== 1) throw new Error(`${winners.length} of 8 writers believe that they created the same file`);
  if ((await readFile(path, 'utf8')) !== winners[0]) throw new Error('the file holds what a loser wrote');
}

async function hardLinks(dir: string): Promise<void> {
  const [plain, linked] = [join(dir, 'plain'), join(dir, 'linked')];
  await writeFile(plain, '');
  await link(plain, linked);
  const errno = await link(plain, linked).then(() => 'none', getErrno);
  if (errno !== 'EEXIST') throw new Error(`a second link of the same name was not refused (${errno})`);
}

async function renameKeeps(dir: string): Promise<void> {
  const [from, to] = [join(dir, 'from'), join(dir, 'to')];
  for (const folder of [from, to]) {
    await mkdir(folder);
    await writeFile(join(folder, 'file'), folder);
  }
  const errno = (await rename(from, to).then(() => 'none', getErrno)) ?? '';
  const refused = ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'].includes(errno);
  if (!refused || (await readFile(join(to, 'file'), 'utf8')) !== to) throw new Error('a full folder was replaced');
}

async function renameFences(dir: string): Promise<void> {
  const [old, taken] = [join(dir, 'old'), join(dir, 'taken')];
  await mkdir(old);
  await rename(old, taken);
  const errno = await writeFile(join(old, 'late'), '').then(() => 'none', getErrno);
  if (errno !== 'ENOENT') throw new Error(`a write by the old path was not refused (${errno})`);
}

async function writeSynced(dir: string): Promise<void> {
  const file = await open(join(dir, 'synced'), 'w');
  try {
    await file.writeFile('x');
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dir);
}
