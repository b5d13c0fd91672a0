/** Splits a transcript into units, each of which is cut off or retained as a whole. */
import type { Entry, MessageEntry } from './entry.ts';
import { readServerCall, readServerResult } from './call-pairs.ts';

/**
 * A `prompt` is the messages of a person or the harness before the model answers; a `step` is one model response and
 * the results of its tool calls. Every message belongs to one unit, so a cut between units splits no pair.
 */
export type Unit = {
  kind: 'prompt' | 'step';
  entries: MessageEntry[];
  /** Calls of this unit that wait for a result. Any other user message ends the wait. */
  openCalls: string[];
};

export function splitSteps(entries: readonly Entry[]): Unit[] {
  const units: Unit[] = [];
  const results = findServerResults(entries);
  let through = -1;
  for (const [place, entry] of entries.entries()) {
    if (entry.type !== 'message') continue;
    const current = units.at(-1);
    // Words of a person end the wait for a result of the server.
    if (isPrompt(entry)) through = -1;
    const kind = place <= through ? undefined : unitKind(entry, current);
    for (const block of entry.message.content)
      through = Math.max(through, results.get(readServerCall(block)?.id ?? '') ?? -1);
    // An answer that was paused goes on in the next one.
    if (entry.pauses === true) through = Math.max(through, place + 1);
    if (current === undefined || kind !== undefined)
      units.push({ kind: kind ?? 'step', entries: [entry], openCalls: [] });
    else current.entries.push(entry);
  }
  for (const unit of units) unit.openCalls = findOpenCalls(unit.entries);
  return units;
}

/** The place of the result of each call that the server ran: it may come in a later answer than the call. */
function findServerResults(entries: readonly Entry[]): Map<string, number> {
  const results = new Map<string, number>();
  for (const [place, entry] of entries.entries()) {
    if (entry.type !== 'message' || entry.origin !== 'model') continue;
    for (const block of entry.message.content) {
      const id = readServerResult(block);
      if (id !== undefined) results.set(id, place);
    }
  }
  return results;
}

/** True for a message of a person or a task of the harness. A reminder belongs to the step before it. */
function isPrompt(entry: MessageEntry): boolean {
  const { role, content } = entry.message;
  if (role !== 'user' || (entry.origin !== 'human' && entry.origin !== 'harness')) return false;
  return content.length > 0 && content.every((block) => block.type !== 'tool_result');
}

/** Returns the kind of the unit that this entry begins, or undefined when it belongs to the current one. */
function unitKind(entry: MessageEntry, current: Unit | undefined): Unit['kind'] | undefined {
  if (isPrompt(entry)) return current?.kind === 'prompt' ? undefined : 'prompt';
  return entry.message.role === 'assistant' ? 'step' : undefined;
}

function findOpenCalls(entries: readonly MessageEntry[]): string[] {
  let open: string[] = [];
  for (const { message } of entries)
    for (const block of message.content) {
      if (block.type === 'tool_use') open.push(block.id);
      else if (block.type === 'tool_result') open = open.filter((id) => id !== block.tool_use_id);
      else if (message.role === 'user') open = [];
    }
  return open;
}
