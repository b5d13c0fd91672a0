/** Reads a trace from disk, and checks each line against its schema. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError, describeError } from '../../errors.ts';
import { TraceLine } from '../../scenario/trace.ts';
import { schemaIssues } from '../components/schema-issues.ts';

/** Undefined when there is no such file. Contract: `data_corrupt` with file and line for what is no trace. */
export async function readTrace(dir: string, path: string): Promise<TraceLine[] | undefined> {
  const text = await readTraceText(dir, path);
  return text === undefined ? undefined : parseTrace(text, path);
}

/** Undefined when there is no such file. */
export function readTraceText(dir: string, path: string): Promise<string | undefined> {
  return readFile(join(dir, path), 'utf8').catch(() => undefined);
}

/** A trace that results name, empty when an unscored trial wrote none; its path must stay inside the folder. */
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
    throw new HarnessError('data_corrupt', `${place} is no line of a trace: ${describeError(error)}`, { cause: error });
  }
  const parsed = TraceLine.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = schemaIssues(parsed.error).join('; ');
  throw new HarnessError('data_corrupt', `${place} is no line of a trace: ${faults}`, { cause: parsed.error });
}
