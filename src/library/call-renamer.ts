/** Gives the calls of a conversation ids that are unique and can be sent, and their results the same ids. */
import { chooseFreeId, toSendableId } from '../transcript/call-pairs.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Block, Message } from '../transcript/message.ts';

/**
 * Some providers restart their ids at `call_0` in every answer, or give one id to several calls of an answer. A repeated id
 * gets a number, and results belong to the open calls with their id, in order: also after `load`, by that number.
 */
export function createCallRenamer(entries: readonly Entry[]): (message: Message) => Message {
  const taken = new Set<string>();
  const open: { id: string; given: string }[] = [];

  function takeCall(given: string): string {
    const sendable = toSendableId(given);
    const named = open.findIndex((call) => call.given === sendable);
    const place = named < 0 ? open.findIndex(({ id }) => id === given) : named;
    return place < 0 ? given : (open.splice(place, 1)[0]?.id ?? given);
  }

  function rename(block: Block): Block {
    if (block.type === 'tool_result') return { ...block, tool_use_id: takeCall(block.tool_use_id) };
    if (block.type !== 'tool_use') return block;
    const given = toSendableId(block.id);
    const id = chooseFreeId(given, taken);
    taken.add(id);
    open.push({ id, given });
    return id === block.id ? block : { ...block, id };
  }

  /** Only the calls of the newest answer can still get a result. */
  function closeEarlier({ content }: Message): void {
    if (content.some(({ type }) => type === 'tool_use')) open.length = 0;
  }

  for (const entry of entries) {
    if (entry.type !== 'message') continue;
    closeEarlier(entry.message);
    for (const block of entry.message.content) {
      if (block.type === 'tool_result')
        open.splice(0, open.length, ...open.filter(({ id }) => id !== block.tool_use_id));
      if (block.type !== 'tool_use') continue;
      const base = block.id.replace(NUMBER, '');
      open.push({ id: block.id, given: taken.has(base) ? base : block.id });
      taken.add(block.id);
    }
  }
  return (message) => {
    closeEarlier(message);
    return { role: message.role, content: message.content.map(rename) };
  };
}

/** The numbers that repeated ids get begin at 2. */
const NUMBER = /_(?:[2-9]|[1-9]\d+)$/;
