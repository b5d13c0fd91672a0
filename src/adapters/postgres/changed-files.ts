/** Compares a working copy with what the store and it last held in common. */
import { join } from 'node:path';
import { readFileStamp } from '../files/file-journal.ts';
import { listFiles } from './working-copy-files.ts';
import type { SentFile } from './file-rows.ts';
import { digestOfFile } from './stored-pieces.ts';

/** Paths whose files may be deleted: the hand-off of a withdrawn decision, sent drafts, files deleted by an agent in a session. */
const REMOVABLE = /^(handoffs|drafts|workspace|run-files)\//;

/** Events name these files by digest. The store's version of a pack stays; only `commitFolder` sends step folders. */
export const WRITTEN_ONCE = /^gates\//;
const COMMITTED = /^(design|execution_outputs)\//;

/** `stamp` belongs to the file that had this content; when it is absent, the file itself must be read. */
export type KnownFile = { digest: string; stamp: string | undefined };
export type Change = SentFile & { stamp: string };
export type WorkingCopy = {
  dir: string;
  /** The content that the store and the working copy both hold. */
  known: Map<string, KnownFile>;
};

export async function findChanges(
  { dir, known }: WorkingCopy,
  only: string | undefined,
): Promise<{ paths: readonly string[]; changes: Change[] }> {
  const paths = only === undefined ? await listFiles(dir) : [only];
  const changes: Change[] = [];
  for (const path of paths) {
    const stamp = await readFileStamp(join(dir, path));
    const before = known.get(path);
    if (stamp === undefined || stamp === before?.stamp || isFinal(path, before)) continue;
    const now = await digestOfFile(join(dir, path));
    if (now.digest === before?.digest) known.set(path, { ...before, stamp });
    else changes.push({ path, ...now, stamp });
  }
  return { paths, changes };
}

function isFinal(path: string, before: KnownFile | undefined): boolean {
  return COMMITTED.test(path) || (before !== undefined && WRITTEN_ONCE.test(path));
}

/** Deletions in a working copy that did not come from the run must not delete the run's files. */
export async function removedFiles({ dir, known }: WorkingCopy, paths: readonly string[]): Promise<string[]> {
  const there = new Set(paths);
  const removed: string[] = [];
  for (const path of known.keys()) {
    const top = REMOVABLE.exec(path)?.[1];
    if (top === undefined || there.has(path)) continue;
    if ((await readFileStamp(join(dir, top))) !== undefined) removed.push(path);
  }
  return removed;
}
