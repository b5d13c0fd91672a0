/** Counts the model calls of a run that were answered already, so that a replay can go on from there. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { parseJson } from '../../parse-json.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { formatCallId, RememberedCall } from './paid-model.ts';

/** Number of answers to each request, by the beginning of its digest. */
export type AnsweredCallCounts = ReadonlyMap<string, number>;

/** Counts settled calls of all these runs, and those remembered just before their settlement. */
export async function countAnsweredCalls(runs: readonly RunFolder[]): Promise<AnsweredCallCounts> {
  const counts = new Map<string, number>();
  for (const run of runs) {
    const answers = new Map((await run.spending.list()).map((record) => [record.call, record.answers]));
    for (const { call } of await listRememberedCalls(run)) answers.set(call, Math.max(1, answers.get(call) ?? 0));
    for (const [call, count] of answers) {
      const digest = call.slice(call.lastIndexOf('.') + 1);
      if (count > 0) counts.set(digest, (counts.get(digest) ?? 0) + count);
    }
  }
  return counts;
}

/** An answer that a live attempt remembers: the attempt's folder, the answer's name there, and the call's name in the ledger. */
export type RememberedAnswer = { attempt: string; name: string; call: string };

export async function listRememberedCalls(run: RunFolder): Promise<RememberedAnswer[]> {
  const calls = (await run.artifacts.live()).map(async (attempt) => {
    const turns = join(run.dir, 'wip', attempt, 'turns');
    const names = (await listFileNames(turns)).filter((name) => /\.jsonl?$/.test(name)).toSorted();
    const found = await Promise.all(names.map((name) => readRecords(turns, name)));
    // The later file counts when two values have the same name.
    const newest = new Map(found.flat().map(({ name, value }) => [name, value]));
    return [...newest].flatMap(([name, value]) => toRememberedAnswer(attempt, name, value));
  });
  return (await Promise.all(calls)).flat();
}

/** A `.json` file is named after its value; each line of a `.jsonl` gives its own name. A file may vanish meanwhile. */
async function readRecords(turns: string, file: string): Promise<z.infer<typeof RecordLine>[]> {
  const text = await valueOnErrno('ENOENT', '', readFile(join(turns, file), 'utf8'));
  return file.endsWith('.json')
    ? [{ name: file.slice(0, -'.json'.length), value: parseJson(text) }]
    : text.split('\n').flatMap((line) => RecordLine.safeParse(parseJson(line)).data ?? []);
}

/** Skips values that are no answers, because attempts remember other things too. */
function toRememberedAnswer(attempt: string, name: string, value: unknown): RememberedAnswer[] {
  const [step = ''] = attempt.split('@');
  const call = RememberedCall.safeParse(value);
  if (!call.success) return [];
  return [{ attempt, name, call: formatCallId(step, name, call.data.digest) }];
}

const RecordLine = z.strictObject({ name: z.string(), value: z.unknown() });

function listFileNames(dir: string): Promise<string[]> {
  return onDisk(`Reading ${dir}`, () => valueOnErrno('ENOENT', [], readdir(dir, { recursive: true })));
}
