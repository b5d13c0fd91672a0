/** An agent's conversation in parts: entries that a compaction summarises are folded behind it, the rest is open. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { getStepAgent, listAttemptFiles, readAllTranscripts } from '../../pipeline/sessions/read-sessions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { CompactionEntry, Entry } from '../../transcript/entry.ts';

export type TranscriptPart =
  | { kind: 'folded'; compaction: CompactionEntry; entries: readonly Entry[] }
  | { kind: 'open'; entries: readonly Entry[] };

/** Number of entries of a part that a page shows, from both ends; the rest is in the transcript's file. */
const MOST_SHOWN = 120;

export function shownEntries(entries: readonly Entry[]): readonly Entry[] {
  if (entries.length <= MOST_SHOWN) return entries;
  return [...entries.slice(0, MOST_SHOWN / 2), ...entries.slice(-MOST_SHOWN / 2)];
}

/** Lists the agents that have said something, also in an unfinished step. */
export async function listAgents(run: RunFolder): Promise<string[]> {
  const names = await readdir(join(run.dir, 'transcripts')).catch(() => []);
  const published = names.flatMap((name) => /^([a-z][a-z0-9-]{0,63})\.jsonl$/.exec(name)?.[1] ?? []);
  const live = (await listAttemptFiles(run)).map((file) => getStepAgent(file.slice('wip/'.length)));
  return [...new Set([...published, ...live])].toSorted();
}

/** Includes the entries of an unfinished step. */
export async function readEntries(run: RunFolder, agent: string): Promise<readonly Entry[]> {
  return (await readAllTranscripts(run)).get(agent) ?? run.transcripts.read(agent);
}

/** Each compaction folds the entries that it is the first to summarise. */
export function splitTranscript(entries: readonly Entry[]): TranscriptPart[] {
  const parts: TranscriptPart[] = [];
  const place = new Map(entries.map((entry, index) => [entry.id, index]));
  let from = 0;
  for (const compaction of entries) {
    if (compaction.type !== 'compaction') continue;
    const to = (place.get(compaction.coversThrough) ?? -1) + 1;
    parts.push({ kind: 'folded', compaction, entries: entries.slice(from, Math.max(from, to)) });
    from = Math.max(from, to);
  }
  return [...parts, { kind: 'open', entries: entries.slice(from) }];
}
