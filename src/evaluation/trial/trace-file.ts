/** The trace of one trial on disk: a line for each thing, in the order in which it happens. */
import { close, open, write } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { TraceLine } from '../../scenario/trace.ts';

// Thousands of small files: a file handle of `node:fs/promises` takes twice the work of a descriptor.
const openFile = promisify(open);
const writeText = promisify(write);
const closeFile = promisify(close);

export type TraceFile = {
  /** What was written, in order: line 1 of the file is the first. */
  readonly lines: readonly TraceLine[];
  write(line: TraceLine): Promise<void>;
  close(): Promise<void>;
};

/** Path of a trace, relative to the folder of the iteration. */
export function tracePath(sample: string, trial: number): string {
  return `traces/${sample}.${trial}.jsonl`;
}

/** So many characters, or so many milliseconds, may wait for the disk: whoever watches a trace sees it grow all the same. */
const MOST_WAITING = 64 * 1024;
const LONGEST_MS = 250;

/** Begins anew: what an earlier attempt left there is gone. A trace that never opened a file left none. */
export async function openTrace(dir: string, path: string): Promise<TraceFile> {
  const file = join(dir, path);
  const lines: TraceLine[] = [];
  let waiting = '';
  let writtenAt = performance.now();
  let flag = 'w';
  /** A long line goes out as it is: put together with others, or with its end, it would be copied once more. */
  const flush = async (long = ''): Promise<void> => {
    const texts = [waiting, long].filter((text) => text !== '');
    waiting = long === '' ? '' : '\n';
    writtenAt = performance.now();
    const descriptor = await openIn(file, flag);
    flag = 'a';
    try {
      for (const text of texts) await writeAll(descriptor, text);
    } finally {
      await closeFile(descriptor);
    }
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

/** As a string: a buffer of it would wait for the next collection. Only what did not go out at once becomes one. */
async function writeAll(descriptor: number, text: string): Promise<void> {
  let { bytesWritten: sent } = await writeText(descriptor, text);
  const bytes = Buffer.byteLength(text);
  while (sent < bytes) sent += (await writeText(descriptor, Buffer.from(text).subarray(sent))).bytesWritten;
}

/** Makes its folder, and not those above it: when they are gone, another worker has taken them, and nothing may be written. */
async function openIn(file: string, flag: string): Promise<number> {
  try {
    return await openFile(file, flag);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await mkdir(dirname(file)).catch((fault: unknown) => {
    if (codeOf(fault) !== 'EEXIST') throw fault;
  });
  return openFile(file, flag);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
