/** Writes the trace of one trial: one line per event, in order. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getErrno } from '../../disk/disk-fault.ts';
import type { TraceLine } from '../../scenario/trace.ts';

export type TraceFile = {
  /** The lines written so far, in order: line 1 of the file is the first. */
  readonly lines: readonly TraceLine[];
  write(line: TraceLine): Promise<void>;
  close(): Promise<void>;
};

/** Path of a trace, relative to the folder of the iteration. */
export function tracePath(sample: string, trial: number): string {
  return `traces/${sample}.${trial}.jsonl`;
}

/** Path of the calls file, next to the trace. */
export function callsPath(trace: string): string {
  return trace.replace(/\.jsonl$/, '.calls.json');
}

/** Lines wait for the disk up to this many characters or milliseconds, so a reader still sees the trace grow. */
const MOST_WAITING = 64 * 1024;
const LONGEST_MS = 250;

/** Overwrites the trace of an earlier attempt. Without a written line there is no file. */
export async function openTrace(dir: string, path: string): Promise<TraceFile> {
  const file = join(dir, path);
  const lines: TraceLine[] = [];
  let waiting = '';
  let writtenAt = performance.now();
  let flag = 'w';
  /** A long line is written separately: joining it with others would copy it once more. */
  const flush = (long = ''): void => {
    const texts = [waiting, long].filter((text) => text !== '');
    waiting = long === '' ? '' : '\n';
    writtenAt = performance.now();
    const opened = flag;
    flag = 'a';
    writeTexts(file, opened, texts);
  };
  return {
    lines,
    write: async (line) => {
      lines.push(line);
      const text = JSON.stringify(line);
      if (text.length > MOST_WAITING) return flush(text);
      waiting += `${text}\n`;
      if (waiting.length > MOST_WAITING || performance.now() - writtenAt > LONGEST_MS) flush();
    },
    close: async () => {
      if (waiting !== '') flush();
    },
  };
}

/** Replaces the file; its folder exists, or is made. */
export const writeText = (file: string, text: string): void => writeTexts(file, 'w', [text]);

/**
 * Without a change of threads, which takes ten times as long as to write a file of this size. Strings, because a buffer
 * would wait for garbage collection.
 */
function writeTexts(file: string, flag: string, [first = '', ...more]: readonly string[]): void {
  try {
    writeFileSync(file, first, { flag });
  } catch (error) {
    if (getErrno(error) !== 'ENOENT') throw error;
    makeFolder(dirname(file));
    writeFileSync(file, first, { flag });
  }
  for (const text of more) writeFileSync(file, text, { flag: 'a' });
}

/** Creates the file's folder, but none above: when those are gone, another worker has taken them over. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (getErrno(error) !== 'EEXIST') throw error;
  }
}
