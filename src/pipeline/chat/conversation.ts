/** Builds the conversation of a chat: a fork of Init's own up to the design, and all exchanges since. */
import { createAgentConversation, type AgentConversation } from '../../agent/agent-conversation.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import {
  compareEntries,
  listLineage,
  getEntryNumber,
  type CompactionEntry,
  type Entry,
} from '../../transcript/entry.ts';

/** `transcripts/chat.jsonl`, with a lane for each round and each new beginning. */
export const CHAT = 'chat';

export type ChatConversation = { session: AgentConversation; lane: string; appended: readonly Entry[] };

/** Init's transcript is only read, so that a chat does not change how the next round goes on. */
export async function openChatConversation(
  run: RunFolder,
  round: number,
  { fresh, onAppend }: { fresh: boolean; onAppend?: (entry: Entry) => void },
): Promise<ChatConversation> {
  const entries = await run.transcripts.read(CHAT);
  const lane = chooseLane(entries, `r${round}`, fresh);
  const forked = forkEntries(await run.transcripts.read('init'), round, lane);
  const appended: Entry[] = [];
  const session = createAgentConversation({
    entries: [...forked, ...entries.map(withoutThinking)].toSorted(compareEntries),
    step: `chat.r${round}`,
    lane,
    images: run.transcripts.images,
    onAppend: async (entry) => {
      appended.push(entry);
      onAppend?.(entry);
    },
  });
  return { session, lane, appended };
}

/** Returns what the newest conversation of a chat shows the model: Init's up to the design, and the exchanges since. */
export async function chatEntries(run: RunFolder): Promise<readonly Entry[]> {
  const step = (await run.transcripts.read(CHAT)).at(-1)?.step;
  const round = Number(/^chat\.r(\d+)$/.exec(step ?? '')?.[1] ?? 0);
  return round === 0 ? [] : (await openChatConversation(run, round, { fresh: false })).session.entries;
}

/** Lanes are `r2`, then `r2-2`, `r2-3`, … after each new beginning; the newest goes on. */
function chooseLane(entries: readonly Entry[], base: string, fresh: boolean): string {
  const lanes = new Set(entries.map(({ lane }) => lane).filter((lane) => lane === base || lane.startsWith(`${base}-`)));
  const newest = Math.max(lanes.size, 1) + (fresh && lanes.size > 0 ? 1 : 0);
  return newest === 1 ? base : `${base}-${newest}`;
}

/** Copies the entries through the step that made this design, without thinking, which is bound to Init's prompt. */
function forkEntries(entries: readonly Entry[], round: number, lane: string): Entry[] {
  const end = entries.findLastIndex(({ step }) => step === `design.r${round}`);
  return listLineage(entries.slice(0, end + 1), 'main').map((entry) => ({ ...withoutThinking(entry), lane }));
}

/** Removes thinking, which another conversation could not read and answers to a person's words do not need. */
function withoutThinking(entry: Entry): Entry {
  if (entry.type !== 'message' || entry.origin !== 'model') return entry;
  const { response: _response, ...rest } = entry;
  const content = entry.message.content.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  return { ...rest, message: { ...entry.message, content } };
}

/** Renumbers entries behind others that were written since; nothing refers to their ids yet. */
export function renumberAfter(entries: readonly Entry[], last: number): Entry[] {
  const first = entries[0];
  const by = first === undefined ? 0 : Math.max(0, last + 1 - getEntryNumber(first));
  if (by === 0) return [...entries];
  const own = new Set(entries.map(({ id }) => id));
  const moved = (id: string): string => (own.has(id) ? `e${Number(id.slice(1)) + by}` : id);
  return entries.map((entry) => {
    const base = { ...entry, id: moved(entry.id), parents: entry.parents.map(moved) };
    if (base.type === 'compaction') return renumberCompaction(base, moved);
    if (base.type !== 'message' || base.response === undefined) return base;
    return { ...base, response: { ...base.response, view: moved(base.response.view) } };
  });
}

function renumberCompaction(entry: CompactionEntry, moved: (id: string) => string): CompactionEntry {
  const { coversThrough, keepsFrom, left, pointers } = entry;
  return {
    ...entry,
    coversThrough: moved(coversThrough),
    ...(keepsFrom === undefined ? {} : { keepsFrom: moved(keepsFrom) }),
    ...(left === undefined ? {} : { left: left.map(moved) }),
    ...(pointers === undefined
      ? {}
      : { pointers: Object.fromEntries(Object.entries(pointers).map(([id, text]) => [moved(id), text])) }),
  };
}
