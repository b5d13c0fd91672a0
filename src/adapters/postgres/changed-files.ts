/** What changed in a working copy since the store and it held the same. */
import { join } from 'node:path';
import { filesOf, stampOf } from './copy-files.ts';
import type { SentFile } from './file-rows.ts';
import { digestOfFile } from './stored-pieces.ts';

/** What may be lost again: the hand-off of a decision that was taken back, drafts that were sent, what an agent deletes in a session. */
const REMOVABLE = /^(handoffs|drafts|workspace|run-files)\//;

/** Events name these by digest. Packs: what the store has stays; folders of steps are sent by `commit` alone. */
export const ONCE = /^gates\//;
const COMMITTED = /^(design|execution_outputs)\//;

/** `stamp`: of the file that had this content; absent: look at the file. */
export type Known = { digest: string; stamp: string | undefined };
export type Change = SentFile & { stamp: string };
export type WorkingCopy = {
  dir: string;
  /** What the store and the working copy both hold. */
  known: Map<string, Known>;
};

export async function changed(
  { dir, known }: WorkingCopy,
  only: string | undefined,
): Promise<{ paths: readonly string[]; changes: Change[] }> {
  const paths = only === undefined ? await filesOf(dir) : [only];
  const changes: Change[] = [];
  for (const path of paths) {
    const stamp = await stampOf(join(dir, path));
    const before = known.get(path);
    if (stamp === undefined || stamp === before?.stamp || isFinal(path, before)) continue;
    const now = await digestOfFile(join(dir, path));
    if (now.digest === before?.digest) known.set(path, { ...before, stamp });
    else changes.push({ path, ...now, stamp });
  }
  return { paths, changes };
}

function isFinal(path: string, before: Known | undefined): boolean {
  return COMMITTED.test(path) || (before !== undefined && ONCE.test(path));
}

/** A working copy that something else deletes must not delete the run. */
export async function removedFiles({ dir, known }: WorkingCopy, paths: readonly string[]): Promise<string[]> {
  const there = new Set(paths);
  const removed: string[] = [];
  for (const path of known.keys()) {
    const top = REMOVABLE.exec(path)?.[1];
    if (top === undefined || there.has(path)) continue;
    if ((await stampOf(join(dir, top))) !== undefined) removed.push(path);
  }
  return removed;
}
