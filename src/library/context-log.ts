/** Keeps the transcript of one context in memory, and saves and loads it as the lines of a transcript file. */
import { z } from 'zod';
import type { ConversationLog } from '../agent/agent-conversation.ts';
import { HarnessError, usageError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { parseJson } from '../parse-json.ts';
import { view, type Policy } from '../context/index.ts';
import { Entry, placeEntry, type EntryDraft } from '../transcript/entry.ts';
import { listToolUses, type Message, type ToolUseBlock } from '../transcript/message.ts';
import type { ContextReceipt } from './context-types.ts';

export type ContextLog = {
  readonly entries: readonly Entry[];
  push(draft: EntryDraft): Entry;
  /** The same log, for the functions that compact. */
  readonly session: ConversationLog;
};

/** Calls `onEntry` for each new entry, for example to append it to a file or a table. */
export function createContextLog(loaded: readonly Entry[], onEntry?: (entry: Entry) => void): ContextLog {
  const entries: Entry[] = [...loaded];
  function push(draft: EntryDraft): Entry {
    const entry = placeEntry(entries, draft);
    entries.push(entry);
    onEntry?.(entry);
    return entry;
  }
  return { entries, push, session: { entries, append: (draft) => Promise.resolve(push(draft)) } };
}

/** Throws `data_corrupt`, naming an invalid line; a last line that a crash cut off counts as not written. */
export function loadEntries(text: string): Entry[] {
  const lines = text.split('\n');
  const whole = text.endsWith('\n') || parseJson(lines.at(-1) ?? '') !== undefined ? lines : lines.slice(0, -1);
  const entries: Entry[] = [];
  for (const [place, line] of whole.entries()) {
    if (line.trim() === '') continue;
    const entry = readLine(line, place + 1);
    // An entry that was stored again replaces all that were taken back.
    const same = entries.findLastIndex(({ id, lane }) => id === entry.id && lane === entry.lane);
    if (same >= 0) entries.splice(same);
    entries.push(entry);
  }
  return entries;
}

function readLine(line: string, number: number): Entry {
  const read = Entry.safeParse(parseJson(line));
  if (read.success) return read.data;
  const why = z.prettifyError(read.error).split('\n')[0] ?? '';
  const message = `The saved context cannot be read: line ${number}: ${why}`;
  throw new HarnessError('data_corrupt', message, { details: { line: number } });
}

export function refuseOpenCalls(entries: readonly Entry[]): void {
  const [call] = listOpenCalls(entries);
  if (call === undefined) return;
  throw usageError(`The call ${call.id} of ${call.name} has no result yet: push it, then ask again.`, {
    details: { call: call.id, tool: call.name },
  });
}

/** A call whose input could not be read was never made, so it gets the error that says so. */
export function answerMalformedCalls(log: ContextLog): boolean {
  const open = listOpenCalls(log.entries);
  if (open.length === 0 || open.some(({ malformed }) => malformed === undefined)) return false;
  const content = open.map(({ id }) => ({
    ...{ type: 'tool_result' as const, tool_use_id: id, is_error: true },
    content: 'Error: the call was not made, because its input is no JSON object.',
  }));
  log.push({ type: 'message', origin: 'tools', message: { role: 'user', content } });
  return true;
}

/** A person's words end the wait, and blank messages do not: where a result is missing, the view knows whether it is waited for. */
function listOpenCalls(entries: readonly Entry[]): ToolUseBlock[] {
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  const place = messages.findLastIndex((message) => listToolUses(message).length > 0);
  const calls = messages.slice(place, place + 1).flatMap(listToolUses);
  if (withoutResults(calls, messages.slice(place + 1)).length === 0) return [];
  const shown = view(entries).messages;
  const asked = shown.findLastIndex(({ role }) => role === 'assistant');
  const open = new Set(
    withoutResults(shown.slice(asked, asked + 1).flatMap(listToolUses), shown.slice(asked + 1)).map(({ id }) => id),
  );
  return calls.filter(({ id }) => open.has(id));
}

function withoutResults(calls: readonly ToolUseBlock[], later: readonly Message[]): ToolUseBlock[] {
  const results = later.flatMap(({ content }) => content.filter((block) => block.type === 'tool_result'));
  const done = new Set(results.map((block) => block.tool_use_id));
  return calls.filter(({ id }) => !done.has(id));
}

/** True when model, system prompt or tools changed during a turn, as after `load`: its thinking is bound to them. */
export function hasHeaderChanged(entries: readonly Entry[], header: string | undefined): boolean {
  const opened = entries.findLast(
    (entry) => entry.type === 'message' && (entry.context !== undefined || entry.dropsThinking === true),
  );
  return opened?.type === 'message' && opened.context?.header !== undefined && opened.context.header !== header;
}

/** `sentAt`: time of the newest request; without it, as after `load`, the newest answer dates the last cache read. */
export function isCacheCold(
  { entries, sentAt }: { entries: readonly Entry[]; sentAt: number | undefined },
  now: Date,
  { economics }: Policy,
): boolean {
  const answered = entries.findLast((entry) => entry.type === 'message' && entry.origin === 'model')?.at;
  const last = sentAt ?? (answered === undefined ? undefined : Date.parse(answered));
  return last !== undefined && now.getTime() - last > economics.ttlSeconds * 1000;
}

export function toReceipts(entry: Entry): ContextReceipt[] {
  if (entry.type === 'compaction') return [{ entry: entry.id, outcome: 'compacted', ...entry.receipt }];
  if (entry.type !== 'compaction_refused') return [];
  const { id, cause, detail, usage } = entry;
  return [{ entry: id, outcome: 'refused', cause, detail, ...omitUndefined({ usage }) }];
}
