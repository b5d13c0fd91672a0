/** Reads the files of a working copy: which exist, which changed, and how lines of two writers are joined. */
import { readdir, readFile, stat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { TEMPORARY_PREFIX } from '../../disk/atomic-write.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { damagedFileError } from './stored-pieces.ts';
import { randomUUID } from 'node:crypto';

/** Names that have rows of their own in the store, or that matter to this process only. */
const SEPARATE_NAMES: ReadonlySet<string> = new Set(['events', 'spend', 'wip']);
/** The most bytes of small files that one statement carries. */
const GROUP_BYTES = 8 * 1024 * 1024;

/** True for files to which every process that works on the run appends independent lines. */
export function isLineFile(path: string): boolean {
  return path.endsWith('.jsonl');
}

/** Appends the lines of `own` that the file does not hold yet. */
export async function joinLines(path: string, own: string): Promise<void> {
  const theirs = await readFile(path, 'utf8');
  const there = new Set(theirs.split('\n'));
  const more = own.split('\n').filter((line) => line !== '' && !there.has(line));
  if (more.length > 0) await writeLocal(path, `${theirs}${more.map((line) => `${line}\n`).join('')}`);
}

/** A writer to the store must not be able to write elsewhere on its readers' machines. Contract: `data_corrupt` for a path that leaves the working copy, or that has rows of its own. */
export function checkPaths(run: string, rows: readonly { path: string }[]): void {
  for (const { path } of rows) {
    const parts = path.split('/');
    const isInside = !path.includes('\0') && parts.every((part) => !['', '.', '..'].includes(part));
    if (!isInside || SEPARATE_NAMES.has(parts[0] ?? ''))
      throw damagedFileError(run, path, 'is no place in its folder, and lies');
  }
}

export async function listFiles(dir: string, below = ''): Promise<string[]> {
  const items = await valueOnErrno('ENOENT', [], readdir(join(dir, below), { withFileTypes: true }));
  const found: string[] = [];
  for (const item of items) {
    const path = below === '' ? item.name : `${below}/${item.name}`;
    if (item.isDirectory() && !SEPARATE_NAMES.has(path)) found.push(...(await listFiles(dir, path)));
    else if (item.isFile() && !item.name.startsWith(TEMPORARY_PREFIX)) found.push(path);
  }
  return found;
}

export function* groupBySize<One extends { bytes: number }>(all: readonly One[]): Generator<One[]> {
  let [group, bytes]: [One[], number] = [[], 0];
  for (const item of all) {
    if (group.length > 0 && bytes + item.bytes > GROUP_BYTES) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(item);
    bytes += item.bytes;
  }
  if (group.length > 0) yield group;
}

export async function* singleChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

export async function readFileStamp(path: string): Promise<string | undefined> {
  const found = await valueOnErrno('ENOENT', undefined, stat(path, { bigint: true }));
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** `pieces` are written one after the other, so that a large file is never in memory as a whole. */
export async function writeLocal(path: string, pieces: string | AsyncIterable<Uint8Array>): Promise<void> {
  const temporary = join(dirname(path), `${TEMPORARY_PREFIX}${randomUUID()}`);
  const write = () => writeFile(temporary, pieces);
  if (typeof pieces === 'string') {
    const missing = await valueOnErrno('ENOENT', 'missing' as const, write());
    if (missing === 'missing') await mkdir(dirname(path), { recursive: true }).then(write);
  } else {
    await mkdir(dirname(path), { recursive: true });
    await write().catch(async (error: unknown) => {
      await rm(temporary, { force: true });
      throw error;
    });
  }
  await rename(temporary, path);
}
