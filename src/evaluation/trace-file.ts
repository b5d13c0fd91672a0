/** The trace of one trial on disk: a line for each thing, in the order in which it happens. */
import { close, open, write } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { HarnessError, messageOf } from '../errors.ts';
import { TraceLine } from '../scenario/trace.ts';
import { schemaIssues } from './schema-issues.ts';

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
  const flush = async (): Promise<void> => {
    const text = waiting;
    waiting = '';
    writtenAt = performance.now();
    const descriptor = await openIn(file, flag);
    flag = 'a';
    try {
      await writeAll(descriptor, text);
    } finally {
      await closeFile(descriptor);
    }
  };
  return {
    lines,
    write: async (line) => {
      lines.push(line);
      waiting += `${JSON.stringify(line)}\n`;
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

/** Undefined when there is no such file. Contract: `data_corrupt` with file and line for what is no trace. */
export async function readTrace(dir: string, path: string): Promise<TraceLine[] | undefined> {
  const text = await readFile(join(dir, path), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseTrace(text, path);
}

/** A trace that results name, empty when an unscored trial left none; what they name must not lead out of their folder. */
export async function readNamedTrace(dir: string, path: string): Promise<TraceLine[]> {
  if (!/^traces\/[\w.-]+\.jsonl$/.test(path))
    throw new HarnessError('data_corrupt', `results.json names the trace "${path}", which is none.`);
  return (await readTrace(dir, path)) ?? [];
}

/** `shown` names the file in complaints. Contract: `data_corrupt` with file and line for what is no trace. */
export function parseTrace(text: string, shown: string): TraceLine[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => parseLine(line, `${shown}:${number}`));
}

function parseLine(line: string, place: string): TraceLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new HarnessError('data_corrupt', `${place} is no line of a trace: ${messageOf(error)}`, { cause: error });
  }
  const parsed = TraceLine.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = schemaIssues(parsed.error).join('; ');
  throw new HarnessError('data_corrupt', `${place} is no line of a trace: ${faults}`, { cause: parsed.error });
}
