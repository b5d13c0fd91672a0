/** Marks of processes at work: a file that names its process and is renewed while that lives, so that others notice a death. */
import { readlinkSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { atomicWrite, TEMPORARY } from './atomic-write.ts';
import { confine, makeFolders, refuseLinks } from './confine.ts';
import { errnoOf, onDisk, valueOnErrno } from './disk-fault.ts';
import { parseOrNone } from './parse-file.ts';
import { serially } from './serially.ts';

export type LiveMark = {
  /** Durable when resolved: what other processes read if this one dies. */
  say: (text: string) => Promise<void>;
  end: () => Promise<void>;
};

export type FoundMark = { name: string; alive: boolean; said: string };

const Mark = z.strictObject({
  version: z.literal(1),
  /** Where the process number means something: the machine, and on Linux the container. */
  place: z.string(),
  pid: z.int().positive(),
  until: z.string(),
  said: z.string(),
});

/** Far above the difference of machines' clocks; a process of this machine that is gone is known to be gone at once. */
const LASTS_MS = 60_000;
const RENEW_MS = 10_000;

export async function openLiveMark(root: string, path: string): Promise<LiveMark> {
  const file = confine(root, path);
  const place = placeOf();
  const inTurn = serially();
  let text = '';
  let ended = false;
  const write = () =>
    inTurn(async () => {
      if (ended) return;
      const until = new Date(Date.now() + LASTS_MS).toISOString();
      await atomicWrite(file, `${JSON.stringify({ version: 1, place, pid: process.pid, until, said: text })}\n`);
    });
  await onDisk(`Marking ${path}`, async () => {
    await refuseLinks(root, file);
    await makeFolders(root, dirname(file));
    await write();
  });
  // A renewal that fails lets the mark run out, and its call is counted at its worst cost: that is safe.
  const timer = setInterval(() => void write().catch(() => undefined), RENEW_MS);
  timer.unref();
  return {
    say: (next) => {
      text = next;
      return onDisk(`Marking ${path}`, write);
    },
    end: () => {
      clearInterval(timer);
      return onDisk(`Ending the mark ${path}`, () =>
        inTurn(async () => {
          ended = true;
          await rm(file, { force: true });
        }),
      );
    },
  };
}

/** The marks of a folder by their names without `.json`. Contract: an invalid file counts as an empty mark of a dead process. */
export function findMarks(root: string, folder: string): Promise<FoundMark[]> {
  return onDisk(`Looking at ${folder}`, async () => {
    const path = confine(root, folder);
    await refuseLinks(root, path);
    const names = (await valueOnErrno('ENOENT', [], readdir(path))).filter(
      (name) => name.endsWith('.json') && !name.startsWith(TEMPORARY),
    );
    const place = placeOf();
    const found = await Promise.all(names.map(async (name) => foundAt(join(path, name), name.slice(0, -5), place)));
    return found.filter((mark) => mark !== undefined);
  });
}

async function foundAt(path: string, name: string, place: string): Promise<FoundMark | undefined> {
  const text = await valueOnErrno('ENOENT', undefined, readFile(path, 'utf8'));
  if (text === undefined) return undefined;
  const mark = parseOrNone(Mark, text);
  if (mark === undefined) return { name, alive: false, said: '' };
  const lasts = Date.parse(mark.until) > Date.now();
  return { name, alive: lasts && (mark.place !== place || isRunning(mark.pid)), said: mark.said };
}

/** False for a process of this machine that is gone. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

/** Where the number of a process means something: the machine, and on Linux the container. */
export function placeOf(): string {
  place ??= `${hostname()} ${processSpace()}`.trim();
  return place;
}

let place: string | undefined;

function processSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
