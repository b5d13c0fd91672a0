/** How long answers and compactions took: `transcripts/<agent>.times.json`, for people, beside what agents and replays read. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { parseFile } from '../../disk/parse-file.ts';

const Times = z.strictObject({ version: z.literal(1), ms: z.record(z.string(), z.int().nonnegative()) });

export async function readTimes(path: string, name: string): Promise<Record<string, number>> {
  const text = await valueOnErrno('ENOENT', undefined, readFile(path, 'utf8'));
  return text === undefined ? {} : parseFile(Times, text, name).ms;
}

/** Of two times the longer counts: a step that is tried again makes its compactions from remembered calls. */
export async function addTimes(path: string, name: string, ms: Readonly<Record<string, number>>): Promise<void> {
  const known = await readTimes(path, name);
  const longer = Object.entries(ms).filter(([entry, time]) => (known[entry] ?? -1) < time);
  if (longer.length === 0) return;
  const times = { ...known, ...Object.fromEntries(longer) };
  await atomicWrite(path, `${JSON.stringify({ version: 1, ms: times })}\n`);
}
