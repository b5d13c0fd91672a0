/** Temporary folders named after their process, so that those of a killed process can be found and removed. */
import { lstat, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning, getPidScope } from './live-mark.ts';
import { sha256 } from './sha256.ts';

const OWN_FOLDER_NAME = /^tandem-[a-z]+-([0-9a-f]{8})-(\d+)-/;

/** Contract: the folder is empty, private to this user and given by its real path; the caller removes it. */
export async function createTemporaryFolder(purpose: string): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), `tandem-${purpose}-${hashPidScope()}-${process.pid}-`)));
}

/** Resolves with what `work` does in such a folder, which is removed afterwards. */
export async function inTemporaryFolder<T>(purpose: string, work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await createTemporaryFolder(purpose);
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Removes folders of this user whose process on this machine (or in this container) is gone. */
export async function sweepTemporaryFolders(): Promise<string[]> {
  const swept: string[] = [];
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, where, pid] = OWN_FOLDER_NAME.exec(name) ?? [];
    if (where !== hashPidScope() || isRunning(Number(pid))) continue;
    const path = join(tmpdir(), name);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue;
    // A child of the killed process may still write there; the next sweep removes such a folder.
    const fault = await rm(path, { recursive: true, force: true }).catch((error: unknown) => ({ error }));
    if (fault === undefined) swept.push(name);
  }
  return swept;
}

/** Hashes the scope of process ids, as a part of a folder name. */
function hashPidScope(): string {
  return sha256(getPidScope()).slice(0, 8);
}
