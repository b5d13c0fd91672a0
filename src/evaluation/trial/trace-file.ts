/** Writes the trace of one trial: one line per event, in order. */
import { close, open, write } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { TraceLine } from '../../scenario/trace.ts';

// Thousands of small files: a file handle of `node:fs/promises` costs twice as much as a descriptor.
const openFile = promisify(open);
const writeTo = promisify(write);
const closeFile = promisify(close);

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
  const flush = async (long = ''): Promise<void> => {
    const texts = [waiting, long].filter((text) => text !== '');
    waiting = long === '' ? '' : '\n';
    writtenAt = performance.now();
    const opened = flag;
    flag = 'a';
    await writeTexts(file, opened, texts);
  };
  return {
    lines,
    write: async (line) => {
      lines.push(line);
      const text = JSON.stringify(line);
      if (text.length > MOST_WAITING) return flush(text);
      waiting += `${text}\n`;
      if (waiting.length > MOST_WAITING || performance.now() - writtenAt > LONGEST_MS) await flush();
    },
    close: async () => {
      if (waiting !== '') await flush();
    },
  };
}

/** Replaces the file; its folder exists, or is made. */
export const writeText = (file: string, text: string): Promise<void> => writeTexts(file, 'w', [text]);

async function writeTexts(file: string, flag: string, texts: readonly string[]): Promise<void> {
  const descriptor = await openIn(file, flag);
  try {
    for (const text of texts) await writeAll(descriptor, text);
  } finally {
    await closeFile(descriptor);
  }
}

/** Writes a string, because a buffer would wait for garbage collection; only an unwritten rest becomes a buffer. */
async function writeAll(descriptor: number, text: string): Promise<void> {
  let { bytesWritten: sent } = await writeTo(descriptor, text);
  const bytes = Buffer.byteLength(text);
  while (sent < bytes) sent += (await writeTo(descriptor, Buffer.from(text).subarray(sent))).bytesWritten;
}

/** Creates the file's folder, but none above: when those are gone, another worker has taken them over. */
async function openIn(file: string, flag: string): Promise<number> {
  try {
    return await openFile(file, flag);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
  }
  await mkdir(dirname(file)).catch((fault: unknown) => {
    if (getErrorCode(fault) !== 'EEXIST') throw fault;
  });
  return openFile(file, flag);
}

function getErrorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
