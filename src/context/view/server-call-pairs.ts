/** Calls that the server runs itself, while messages are shown: each keeps its result, or becomes text. */
import type { Block, Message } from '../../transcript/message.ts';
import { readServerCall, readServerResult, type ServerCall } from '../../transcript/call-pairs.ts';
import { describePart } from './unsendable-parts.ts';

export type ServerCallPairs = {
  /** Whether a call waits for its result, which comes with the rest of the answer. */
  isOpen(): boolean;
  /** Takes the results of an answer; one whose call is not here becomes text. */
  takeResults(content: readonly Block[]): Block[];
  takeCalls(content: readonly Block[]): void;
  /** The open calls get no result any more: each becomes text, and thinking that is bound to it leaves. */
  close(): void;
};

export function createServerCallPairs(shown: { id: string; message: Message }[]): ServerCallPairs {
  const open = new Map<string, ServerCall>();

  function takeResults(content: readonly Block[]): Block[] {
    const own = new Set<string>();
    return content.map((block) => {
      const call = readServerCall(block);
      if (call !== undefined) own.add(call.id);
      const id = readServerResult(block);
      if (id === undefined || own.delete(id) || open.delete(id)) return block;
      return { type: 'text', text: `[A result of the server, whose call is not here: ${describePart(block)}]` };
    });
  }

  function takeCalls(content: readonly Block[]): void {
    const done = new Set(content.map(readServerResult));
    for (const block of content) {
      const call = readServerCall(block);
      if (call !== undefined && !done.has(call.id)) open.set(call.id, call);
    }
  }

  function close(): void {
    if (open.size === 0) return;
    let isPast = false;
    const withoutLost = (block: Block): Block[] => {
      if (open.has(readServerCall(block)?.id ?? '')) {
        isPast = true;
        return [{ type: 'text', text: `[A call of the server, of which no result came: ${describePart(block)}]` }];
      }
      return isPast && (block.type === 'thinking' || block.type === 'redacted_thinking') ? [] : [block];
    };
    for (const [place, { id, message }] of shown.entries()) {
      const content = message.content.flatMap(withoutLost);
      if (isPast) shown[place] = { id, message: { ...message, content } };
    }
    open.clear();
  }

  return { isOpen: () => open.size > 0, takeResults, takeCalls, close };
}
