/** `findFault` for a request that grows at its end: messages already found good are not checked again. */
import { listToolUses } from './message.ts';
import { findFaultFrom, type ProtocolRules } from './protocol.ts';
import type { ProtocolFault, SendableMessage } from './sendable-message.ts';

/** Contract: answers as `findFault` does, without cache marks; fast when the messages extend those of the last call. */
export function createFaultFinder(): (
  messages: readonly SendableMessage[],
  rules: ProtocolRules,
) => ProtocolFault | undefined {
  let good: readonly SendableMessage[] = [];
  let under = '';
  let from = 0;
  let ids = new Set<string>();

  return (messages, rules) => {
    const now = JSON.stringify(rules);
    if (now !== under || !messages.slice(0, good.length).every((message, place) => message === good[place])) {
      [from, ids] = [0, new Set()];
    } else {
      const next = findLastTurn(good);
      for (const message of good.slice(from, next))
        for (const { id } of listToolUses({ content: [...message.content] })) ids.add(id);
      from = next;
    }
    const fresh = new Set<string>();
    const seen = { has: (id: string) => ids.has(id) || fresh.has(id), add: (id: string) => fresh.add(id) };
    const fault = findFaultFrom(messages, rules, { from, seen });
    [good, under] = fault === undefined ? [messages, now] : [[], ''];
    return fault;
  };
}

/** Returns the index of the last answer that follows a user message; everything before it is complete. */
function findLastTurn(messages: readonly SendableMessage[]): number {
  const place = messages.findLastIndex(
    ({ role }, index) => role === 'assistant' && messages[index - 1]?.role === 'user',
  );
  return Math.max(0, place);
}
