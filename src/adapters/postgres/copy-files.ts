/** The files of a working copy: which there are, whether they changed, and lines of two writers in one file. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY } from '../../disk/atomic-write.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { damaged } from './stored-pieces.ts';
import { writeLocal } from './local-write.ts';

/** These have rows of their own, or are nobody else's business. */
const APART: ReadonlySet<string> = new Set(['events', 'spend', 'wip']);
/** Bytes of small files in one statement. */
const TOGETHER_BYTES = 8 * 1024 * 1024;

/** Appended to by every process that works on the run; each line is independent. */
export function isLines(path: string): boolean {
  return path.endsWith('.jsonl');
}

/** Lines of `own` that the file does not hold, at its end. */
export async function joinLines(path: string, own: string): Promise<void> {
  const theirs = await readFile(path, 'utf8');
  const there = new Set(theirs.split('\n'));
  const more = own.split('\n').filter((line) => line !== '' && !there.has(line));
  if (more.length > 0) await writeLocal(path, `${theirs}${more.map((line) => `${line}\n`).join('')}`);
}

/** Whoever may write to the store may not write to the machines of its readers. Contract: `data_corrupt` for a path that leads out of a working copy, or to what has rows of its own. */
export function checkPlaces(run: string, rows: readonly { path: string }[]): void {
  for (const { path } of rows) {
    const parts = path.split('/');
    const isInside = !path.includes('\0') && parts.every((part) => !['', '.', '..'].includes(part));
    if (!isInside || APART.has(parts[0] ?? '')) throw damaged(run, path, 'is no place in its folder, and lies');
  }
}

export async function filesOf(dir: string, below = ''): Promise<string[]> {
  const items = await valueOnErrno('ENOENT', [], readdir(join(dir, below), { withFileTypes: true }));
  const found: string[] = [];
  for (const item of items) {
    const path = below === '' ? item.name : `${below}/${item.name}`;
    if (item.isDirectory() && !APART.has(path)) found.push(...(await filesOf(dir, path)));
    else if (item.isFile() && !item.name.startsWith(TEMPORARY)) found.push(path);
  }
  return found;
}

export function* grouped<One extends { bytes: number }>(all: readonly One[]): Generator<One[]> {
  let [group, bytes]: [One[], number] = [[], 0];
  for (const item of all) {
    if (group.length > 0 && bytes + item.bytes > TOGETHER_BYTES) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(item);
    bytes += item.bytes;
  }
  if (group.length > 0) yield group;
}

export async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

export async function stampOf(path: string): Promise<string | undefined> {
  const found = await valueOnErrno('ENOENT', undefined, stat(path, { bigint: true }));
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}
