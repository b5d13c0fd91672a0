/** Marks of processes at work: a file that names its process and is renewed while that lives, so that others notice a death. */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import type { SharedFiles } from '../ports/shared-files.ts';
import { errnoOf } from './disk-fault.ts';
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

export async function openLiveMark(files: SharedFiles, path: string): Promise<LiveMark> {
  const place = placeOf();
  const inTurn = serially();
  let text = '';
  let ended = false;
  const write = () =>
    inTurn(async () => {
      if (ended) return;
      const until = new Date(Date.now() + LASTS_MS).toISOString();
      await files.write(path, `${JSON.stringify({ version: 1, place, pid: process.pid, until, said: text })}\n`);
    });
  await write();
  // A renewal that fails lets the mark run out, and its call is counted at its worst cost: that is safe.
  const timer = setInterval(() => void write().catch(() => undefined), RENEW_MS);
  timer.unref();
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

/** The marks of a folder by their names without `.json`. Contract: an invalid file counts as an empty mark of a dead process. */
export async function findMarks(files: SharedFiles, folder: string): Promise<FoundMark[]> {
  const found = [...(await files.list(folder))].filter(([name]) => name.endsWith('.json'));
  return found.map(([name, text]) => markIn(text, name.slice(0, -'.json'.length)));
}

function markIn(text: string, name: string): FoundMark {
  const mark = parseOrNone(Mark, text);
  if (mark === undefined) return { name, alive: false, said: '' };
  const lasts = Date.parse(mark.until) > Date.now();
  return { name, alive: lasts && (mark.place !== placeOf() || isRunning(mark.pid)), said: mark.said };
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
