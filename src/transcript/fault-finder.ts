/** `findFault` for a request that grows at its end: messages without a fault are not checked again. */
import { toolUses } from './message.ts';
import { findFaultFrom, type ProtocolRules } from './protocol.ts';
import type { ProtocolFault, SendableMessage } from './sendable-message.ts';

/** Contract: the answers of `findFault`, without cache marks; quick when the messages begin with those of the last call. */
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
      const next = lastTurn(good);
      for (const message of good.slice(from, next))
        for (const { id } of toolUses({ content: [...message.content] })) ids.add(id);
      from = next;
    }
    const fresh = new Set<string>();
    const seen = { has: (id: string) => ids.has(id) || fresh.has(id), add: (id: string) => fresh.add(id) };
    const fault = findFaultFrom(messages, rules, { from, seen });
    [good, under] = fault === undefined ? [messages, now] : [[], ''];
    return fault;
  };
}

/** The last answer that follows a user message: everything before it is complete. */
function lastTurn(messages: readonly SendableMessage[]): number {
  const place = messages.findLastIndex(
    ({ role }, index) => role === 'assistant' && messages[index - 1]?.role === 'user',
  );
  return Math.max(0, place);
}
