/** The trace of one trial on disk: a line for each thing, written when it happens. */
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HarnessError, messageOf } from '../errors.ts';
import { TraceLine } from '../scenario/trace.ts';
import { schemaIssues } from './schema-issues.ts';

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

/** Begins anew: what an earlier attempt left there is gone. */
export async function openTrace(dir: string, path: string): Promise<TraceFile> {
  const file = join(dir, path);
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, 'w');
  const lines: TraceLine[] = [];
  return {
    lines,
    write: async (line) => {
      lines.push(line);
      await handle.write(`${JSON.stringify(line)}\n`);
    },
    close: () => handle.close(),
  };
}

/** Undefined when there is no such file. Contract: `data_corrupt` with file and line for what is no trace. */
export async function readTrace(dir: string, path: string): Promise<TraceLine[] | undefined> {
  const text = await readFile(join(dir, path), 'utf8').catch(() => undefined);
  return text
    ?.split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => parseLine(line, `${path}:${number}`));
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
