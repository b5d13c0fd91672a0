/** The trace of one trial, as results name it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../errors.ts';
import { TraceLine } from '../scenario/trace.ts';

/** An unscored trial may have no trace; a line that cannot be read is named. */
export async function readTrace(dir: string, path: string): Promise<TraceLine[]> {
  if (!/^traces\/[\w.-]+\.jsonl$/.test(path))
    throw new HarnessError('data_corrupt', `results.json names the trace "${path}", which is none.`);
  const text = await readFile(join(dir, path), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      try {
        return TraceLine.parse(JSON.parse(line));
      } catch (cause) {
        throw new HarnessError('data_corrupt', `${join(dir, path)}:${index + 1}: is no line of a trace.`, { cause });
      }
    });
}
