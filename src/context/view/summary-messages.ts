/** The messages before the retained steps after a compaction, and the text that closes them, by the place of the summary. */
import { userText, type Message } from '../../transcript/message.ts';
import type { CompactionEntry } from '../../transcript/entry.ts';
import type { ViewMessage } from './projector.ts';

/** Puts request and summary around the messages, changing them; returns how many precede the part with thinking. */
export function prependSummary(kept: ViewMessage[], compaction: CompactionEntry): number {
  const { id } = compaction;
  const shown = (message: Message): ViewMessage => ({ id, message });
  closeKeptMessages(kept, compaction);
  switch (compaction.place ?? 'assistant') {
    case 'assistant':
      kept.unshift(...asAnswer(compaction, kept[0]).map(shown));
      break;
    case 'user':
      kept.unshift(shown(asUserText(compaction)));
      break;
    case 'system':
      putSection(kept, compaction);
      break;
    case 'server':
      if (compaction.block !== undefined) kept.unshift(shown({ role: 'assistant', content: [compaction.block] }));
      return compaction.keepsThinking === true ? Math.min(1, kept.length) : kept.length;
    case 'none':
      break;
  }
  return compaction.keepsThinking === true ? 0 : kept.length;
}

/** A retained part that opens with a user message needs no bridge: the roles already fit (S0.9). */
function asAnswer({ request, summary, bridge }: CompactionEntry, firstKept: ViewMessage | undefined): Message[] {
  const head: Message[] = [userText(request), { role: 'assistant', content: [{ type: 'text', text: summary }] }];
  return firstKept?.message.role === 'user' ? head : [...head, userText(bridge)];
}

/** The summary replaces the conversation, so the user says it (S2.4). */
function asUserText({ request, archives = [], summary }: CompactionEntry): Message {
  return { role: 'user', content: [request, ...archives, summary].map((text) => ({ type: 'text', text })) };
}

/**
 * A system section must follow the user and precede an answer (docs/api-rules.md §2.1): it is placed before the first
 * retained one. Without one the role of the next message is unknown, and the user says it (S1.9, S4.9).
 */
function putSection(kept: ViewMessage[], compaction: CompactionEntry): void {
  const { id, request, archives = [], summary } = compaction;
  const answer = kept.findIndex(({ message }) => message.role === 'assistant');
  if (answer < 0) return void kept.unshift({ id, message: asUserText(compaction) });
  const content = [...archives, summary].map((text) => ({ type: 'text' as const, text }));
  kept.splice(answer, 0, { id, message: { role: 'system', content } });
  kept.unshift({ id, message: userText(request) });
}

/**
 * Kept results whose thinking is gone would leave an open tool loop without it, and whether models with bound thinking
 * take that is not established (docs/api-rules.md §10). A text after the results ends the loop, so the question never
 * comes. With a summary of the API itself, this text contains the carried facts.
 */
function closeKeptMessages(kept: ViewMessage[], { id, note, request, place, keepsThinking }: CompactionEntry): void {
  const last = kept.at(-1);
  if (place === 'server') {
    const text = note === undefined ? request : `${request}\n\n${note}`;
    if (last?.message.role === 'user') addText(kept, last, text);
    else kept.push({ id, message: userText(text) });
    return;
  }
  if (keepsThinking === true || note === undefined || last?.message.role !== 'user') return;
  if (last.message.content.some(({ type }) => type === 'tool_result')) addText(kept, last, note);
}

export function addText(kept: ViewMessage[], last: ViewMessage, text: string): void {
  const content = [...last.message.content, { type: 'text' as const, text }];
  kept[kept.length - 1] = { id: last.id, message: { role: last.message.role, content } };
}
