/** Folders below the system's place for temporary files that name their process: those of one that was killed are found and removed. */
import { lstat, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning, placeOf } from './live-mark.ts';
import { sha256 } from './sha256.ts';

const OURS = /^tandem-[a-z]+-([0-9a-f]{8})-(\d+)-/;

/** Contract: empty, readable by this user alone, by its real path; whoever makes it removes it. */
export async function temporaryFolder(purpose: string): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), `tandem-${purpose}-${place()}-${process.pid}-`)));
}

/** Of this user, and of processes of this machine or container that are gone: the number of another place's process says nothing here. */
export async function sweepTemporaryFolders(): Promise<string[]> {
  const swept: string[] = [];
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, where, pid] = OURS.exec(name) ?? [];
    if (where !== place() || isRunning(Number(pid))) continue;
    const path = join(tmpdir(), name);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue;
    // A child of the one that was killed may still write there: then it goes the next time.
    const isGone = await rm(path, { recursive: true, force: true }).then(
      () => true,
      () => false,
    );
    if (isGone) swept.push(name);
  }
  return swept;
}

/** `placeOf` as a part of a name. */
function place(): string {
  return sha256(placeOf()).slice(0, 8);
}
