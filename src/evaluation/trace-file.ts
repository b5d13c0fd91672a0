/** The trace of one trial on disk: a line for each thing, written when it happens. */
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TraceLine } from '../scenario/trace.ts';

export type TraceFile = { write(line: TraceLine): Promise<void>; close(): Promise<void> };

/** Path of a trace, relative to the folder of the iteration. */
export function tracePath(sample: string, trial: number): string {
  return `traces/${sample}.${trial}.jsonl`;
}

/** Begins anew: what an earlier attempt left there is gone. */
export async function openTrace(dir: string, path: string): Promise<TraceFile> {
  const file = join(dir, path);
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, 'w');
  return {
    write: async (line) => {
      await handle.write(`${JSON.stringify(line)}\n`);
    },
    close: () => handle.close(),
  };
}
