/** The messages before the retained steps after a compaction, and the text that closes them, by the place of the summary. */
import { createUserMessage, type Message } from '../../transcript/message.ts';
import type { CompactionEntry } from '../../transcript/entry.ts';
import type { Projector, ViewMessage } from './projector.ts';

/** Puts request and summary around the messages, changing them; returns how many precede the part with thinking. */
export function prependSummary({ shown: retained, closeServerCalls }: Projector, compaction: CompactionEntry): number {
  const { id } = compaction;
  const shown = (message: Message): ViewMessage => ({ id, message });
  // A call of the server is answered after results alone, so it gets no result where a text follows them.
  if (closeRetained(retained, compaction)) closeServerCalls();
  switch (compaction.place ?? 'assistant') {
    case 'assistant':
      retained.unshift(...asAnswer(compaction, retained[0]).map(shown));
      break;
    case 'user':
      retained.unshift(shown(asUserText(compaction)));
      break;
    case 'system':
      putSection(retained, compaction);
      break;
    case 'server':
      if (compaction.block !== undefined) retained.unshift(shown({ role: 'assistant', content: [compaction.block] }));
      return compaction.keepsThinking === true ? Math.min(1, retained.length) : retained.length;
    case 'none':
      break;
  }
  return compaction.keepsThinking === true ? 0 : retained.length;
}

/** A retained part that opens with a user message needs no bridge: the roles already fit (S0.9). */
function asAnswer({ request, summary, bridge }: CompactionEntry, firstRetained: ViewMessage | undefined): Message[] {
  const head: Message[] = [
    createUserMessage(request),
    { role: 'assistant', content: [{ type: 'text', text: summary }] },
  ];
  return firstRetained?.message.role === 'user' ? head : [...head, createUserMessage(bridge)];
}

/** The summary replaces the conversation, so it is a user message (S2.4). */
function asUserText({ request, archives = [], summary }: CompactionEntry): Message {
  return { role: 'user', content: [request, ...archives, summary].map((text) => ({ type: 'text', text })) };
}

/**
 * A system section must follow the user and precede an answer (docs/internals/api-rules.md §2.1): it is placed before the first
 * retained one. Without one the role of the next message is unknown, so the summary is a user message (S1.9, S4.9).
 */
function putSection(retained: ViewMessage[], compaction: CompactionEntry): void {
  const { id, request, archives = [], summary } = compaction;
  const answer = retained.findIndex(({ message }) => message.role === 'assistant');
  if (answer < 0) return void retained.unshift({ id, message: asUserText(compaction) });
  const content = [...archives, summary].map((text) => ({ type: 'text' as const, text }));
  retained.splice(answer, 0, { id, message: { role: 'system', content } });
  retained.unshift({ id, message: createUserMessage(request) });
}

/**
 * Retained results would leave an open tool loop without its thinking. It is unknown whether models with bound thinking
 * accept that (docs/internals/api-rules.md §10), so a text after the results ends the loop. With a summary of the API itself,
 * this text contains the carried facts. Returns whether there is such a text.
 */
function closeRetained(retained: ViewMessage[], { id, note, request, place, keepsThinking }: CompactionEntry): boolean {
  const last = retained.at(-1);
  if (place === 'server') {
    const text = note === undefined ? request : `${request}\n\n${note}`;
    if (last?.message.role === 'user') addText(retained, last, text);
    else retained.push({ id, message: createUserMessage(text) });
    return true;
  }
  if (keepsThinking === true || note === undefined || last?.message.role !== 'user') return false;
  if (!last.message.content.some(({ type }) => type === 'tool_result')) return false;
  addText(retained, last, note);
  return true;
}

export function addText(retained: ViewMessage[], last: ViewMessage, text: string): void {
  const content = [...last.message.content, { type: 'text' as const, text }];
  retained[retained.length - 1] = { id: last.id, message: { role: last.message.role, content } };
}
