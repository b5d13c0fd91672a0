/** Marks of live processes: a file names its process and is renewed while it lives, so that others notice its death. */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import type { SharedFiles } from '../ports/shared-files.ts';
import { getErrno } from './disk-fault.ts';
import { parseOrNone } from './parse-file.ts';
import { createSerialQueue } from './serial-queue.ts';

export type LiveMark = {
  /** Stores the text that other processes read if this one dies; durable when the promise resolves. */
  say: (text: string) => Promise<void>;
  end: () => Promise<void>;
};

export type FoundMark = { name: string; alive: boolean; said: string };

const Mark = z.strictObject({
  version: z.literal(1),
  /** The scope in which the process id is unique: the machine, and on Linux the container. */
  place: z.string(),
  pid: z.int().positive(),
  until: z.string(),
  said: z.string(),
});

/** Far above the clock difference of machines; the death of a process on this machine is seen at once. */
const MARK_LIFETIME_MS = 60_000;
const RENEW_MS = 10_000;

export async function openLiveMark(files: SharedFiles, path: string): Promise<LiveMark> {
  const place = getPidScope();
  const inTurn = createSerialQueue();
  let text = '';
  let ended = false;
  const write = () =>
    inTurn(async () => {
      if (ended) return;
      const until = new Date(Date.now() + MARK_LIFETIME_MS).toISOString();
      await files.write(path, `${JSON.stringify({ version: 1, place, pid: process.pid, until, said: text })}\n`);
    });
  await write();
  // A failed renewal lets the mark expire, and its call is counted at its worst cost, which is safe.
  const timer = setInterval(() => void write().catch(() => undefined), RENEW_MS).unref();
  return {
    say: (next) => {
      text = next;
      return write();
    },
    end: () => {
      clearInterval(timer);
      return inTurn(async () => {
        ended = true;
        await files.remove(path);
      });
    },
  };
}

/** Lists a folder's marks by name without `.json`. An invalid file counts as an empty mark of a dead process. */
export async function listMarks(files: SharedFiles, folder: string): Promise<FoundMark[]> {
  const found = [...(await files.list(folder))].filter(([name]) => name.endsWith('.json'));
  return found.map(([name, text]) => parseMark(text, name.slice(0, -'.json'.length)));
}

function parseMark(text: string, name: string): FoundMark {
  const mark = parseOrNone(Mark, text);
  if (mark === undefined) return { name, alive: false, said: '' };
  const lasts = Date.parse(mark.until) > Date.now();
  return { name, alive: lasts && (mark.place !== getPidScope() || isRunning(mark.pid)), said: mark.said };
}

/** False when no process of this machine has that id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrno(error) === 'EPERM';
  }
}

/** Returns the scope in which a process id is unique: the machine, and on Linux the container. */
export function getPidScope(): string {
  return (cachedPidScope ??= `${hostname()} ${readPidNamespace()}`.trim());
}

let cachedPidScope: string | undefined;

function readPidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
