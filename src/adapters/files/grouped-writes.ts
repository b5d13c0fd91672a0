/** Groups concurrent writes into one file, because the disk is the bottleneck. */
import { randomUUID } from 'node:crypto';
import { readdir as readdirByCallback } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { createBatcher, shareCalls, type PendingItem } from '../../disk/serial-queue.ts';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { makeFolders } from '../../disk/confine.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { parseJsonFile } from '../../disk/parse-file.ts';
import { getOrCreate } from '../../get-or-create.ts';

/** Before each call that is paid for: a promise of the file system's own costs twice as much, most of all when it fails. */
const readdir = promisify(readdirByCallback);

export type GroupedWrites = {
  /** Undefined when it was never written; `alone` reads the file of this name. */
  read(name: string, alone: () => Promise<unknown>): Promise<unknown>;
  /** Contract: on the disk when resolved; `alone` writes a value that is the only one of its moment. */
  write(name: string, value: unknown, alone: () => Promise<void>): Promise<void>;
};

type Write = { name: string; line: string; alone: () => Promise<void> };
type Place = { file: string; start: number; length: number };

const FOLDER = 'turns/together';
/** Others wait while a file is written: it must not become too large. */
const MOST_IN_ONE = 64;

/** How many answers a file of `turns/` holds, by its name. */
export function answersInFile(name: string): number {
  return Number(/\.(\d+)\.jsonl$/.exec(name)?.[1] ?? 1);
}

/** `dir` is the folder of an attempt; every access goes by path, so that a takeover is noticed as ENOENT. */
export function openGroupedWrites(dir: string): GroupedWrites {
  const folder = join(dir, FOLDER);
  const places = new Map<string, Place>();
  const seen = new Set<string>();

  // By folder: concurrent callers share one read of the directory.
  const looks = new Map<string, (items: readonly never[]) => Promise<ReadonlySet<string>>>();
  const lookInto = (lane: string): Promise<ReadonlySet<string>> =>
    getOrCreate(looks, lane, () => shareCalls(() => lookAgain(lane)))([]);

  /** The names in a lane's folder; what lies in new files of several is known afterwards. */
  const lookAgain = async (lane: string): Promise<ReadonlySet<string>> => {
    const [several, alone] = await Promise.all(
      [folder, join(dir, 'turns', lane)].map((path) => valueOnErrno('ENOENT', undefined, readdir(path))),
    );
    // Nothing there, or nothing there any more? The second must not look like a call that was never paid for.
    if (several === undefined && alone === undefined) await stat(dir);
    const news = (several ?? []).filter((name) => /^\d.*\.jsonl$/.test(name) && !seen.has(name));
    for (const name of news.toSorted()) {
      for (const [key, place] of placesIn(await readFile(join(folder, name)), name)) places.set(key, place);
      seen.add(name);
    }
    return new Set(alone);
  };

  const writeTogether = async (batch: readonly PendingItem<Write>[]): Promise<void> => {
    const number = String(seen.size).padStart(6, '0');
    const name = `${number}-${randomUUID()}.${batch.length}.jsonl`;
    const bytes = Buffer.from(batch.map(({ item }) => item.line).join(''));
    await makeFolders(dir, folder);
    await atomicWrite(join(folder, name), bytes);
    seen.add(name);
    for (const [key, place] of placesIn(bytes, name)) places.set(key, place);
  };

  const write = createBatcher<Write>(MOST_IN_ONE, (batch) => {
    const [first] = batch;
    // A name that is in a file of several stays in such files, so that the newest is found.
    const isAlone = batch.length === 1 && first !== undefined && !places.has(first.item.name);
    return isAlone ? first.item.alone() : writeTogether(batch);
  });

  return {
    async read(name, alone) {
      const names = places.has(name) ? undefined : await lookInto(posix.dirname(name));
      const place = places.get(name);
      if (place === undefined) return names?.has(`${posix.basename(name)}.json`) === true ? alone() : undefined;
      const line = parseJsonFile(await readPart(join(folder, place.file), place), `${FOLDER}/${place.file}`);
      return (line as { value: unknown }).value;
    },
    write: (name, value, alone) => write({ name, line: `${JSON.stringify({ name, value })}\n`, alone }),
  };
}

function* placesIn(bytes: Buffer, file: string): Generator<[name: string, place: Place]> {
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(10, start);
    const length = (end < 0 ? bytes.length : end) - start;
    const [, name] = /^\{"name":("(?:[^"\\]|\\.)*")/.exec(bytes.toString('utf8', start, start + 1024)) ?? [];
    if (name !== undefined) yield [JSON.parse(name) as string, { file, start, length }];
    start += length + 1;
  }
}

async function readPart(path: string, { start, length }: Place): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
