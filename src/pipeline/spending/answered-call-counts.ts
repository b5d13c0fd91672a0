/** Which model calls of a run were answered already: what a replay must know to go on where it was. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { parseJson } from '../../parse-json.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { callId, RememberedCall } from './paid-model.ts';

/** How often each request was answered, by the beginning of its digest. */
export type AnsweredCallCounts = ReadonlyMap<string, number>;

/** Over all these runs: settled calls, and those that were remembered in the moment before their settlement. */
export async function answeredCalls(runs: readonly RunFolder[]): Promise<AnsweredCallCounts> {
  const counts = new Map<string, number>();
  for (const run of runs) {
    const answers = new Map((await run.spending.list()).map((record) => [record.call, record.answers]));
    for (const { call } of await rememberedCalls(run)) answers.set(call, Math.max(1, answers.get(call) ?? 0));
    for (const [call, count] of answers) {
      const digest = call.slice(call.lastIndexOf('.') + 1);
      if (count > 0) counts.set(digest, (counts.get(digest) ?? 0) + count);
    }
  }
  return counts;
}

/** An answer that the live attempts remember: the folder of the attempt, its name there, and the name of its call in the ledger. */
export type RememberedAnswer = { attempt: string; name: string; call: string };

export async function rememberedCalls(run: RunFolder): Promise<RememberedAnswer[]> {
  const calls = (await run.artifacts.live()).map(async (attempt) => {
    const turns = join(run.dir, 'wip', attempt, 'turns');
    const names = (await namesBelow(turns)).filter((name) => /\.jsonl?$/.test(name)).toSorted();
    const found = await Promise.all(names.map((name) => recordsIn(turns, name)));
    // Of two values of one name the later file counts.
    const newest = new Map(found.flat().map(({ name, value }) => [name, value]));
    return [...newest].flatMap(([name, value]) => answerOf(attempt, name, value));
  });
  return (await Promise.all(calls)).flat();
}

/** A `.json` is what it is named for; a line of a `.jsonl` says its name. A file may just go away. */
async function recordsIn(turns: string, file: string): Promise<z.infer<typeof Together>[]> {
  const text = await valueOnErrno('ENOENT', '', readFile(join(turns, file), 'utf8'));
  return file.endsWith('.json')
    ? [{ name: file.slice(0, -'.json'.length), value: parseJson(text) }]
    : text.split('\n').flatMap((line) => Together.safeParse(parseJson(line)).data ?? []);
}

/** Attempts remember other things too. */
function answerOf(attempt: string, name: string, value: unknown): RememberedAnswer[] {
  const [step = ''] = attempt.split('@');
  const call = RememberedCall.safeParse(value);
  if (!call.success) return [];
  return [{ attempt, name, call: callId(step, name, call.data.digest) }];
}

const Together = z.strictObject({ name: z.string(), value: z.unknown() });

function namesBelow(dir: string): Promise<string[]> {
  return onDisk(`Reading ${dir}`, () => valueOnErrno('ENOENT', [], readdir(dir, { recursive: true })));
}
