/** What an agent has said that is not published yet: for people who look on while a step is being made. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunFolder } from '../../ports/run-store.ts';
import { Entry } from '../../transcript/entry.ts';

/** Of each step that is being made, the attempt that got furthest; a torn last line is left out. */
export async function liveStepEntries(run: RunFolder): Promise<Map<string, Entry[]>> {
  const attempts = await readdir(join(run.dir, 'wip')).catch(() => []);
  const furthest = new Map<string, Entry[]>();
  for (const attempt of attempts) {
    const step = attempt.split('@')[0] ?? '';
    const text = await run.read(`wip/${attempt}/transcript.jsonl`).catch(() => undefined);
    const entries = (text ?? '').split('\n').flatMap(parseLine);
    if (entries.length > (furthest.get(step)?.length ?? 0)) furthest.set(step, entries);
  }
  return furthest;
}

function parseLine(line: string): Entry[] {
  try {
    const parsed = Entry.safeParse(JSON.parse(line));
    return parsed.success ? [parsed.data] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
