/** Sets the cache marks of a request: system, last tool, and two on messages (docs/internals/api-rules.md §2.6). */
import type { CacheMark, SendableMessage } from '../../transcript/message.ts';

type Markable = { cache_control?: CacheMark };
type MarkableRequest<System, Tool, Block> = {
  system: readonly System[];
  tools: readonly Tool[];
  messages: readonly { role: SendableMessage['role']; content: readonly Block[] }[];
};
type MarkedRequest<System, Tool, Block> = {
  system: (System & Markable)[];
  tools: (Tool & Markable)[];
  messages: { role: SendableMessage['role']; content: (Block & Markable)[] }[];
};

/**
 * The last message is where the next call will read; the user message before the last answer is where the last call
 * wrote, and reading must find it even when more blocks than the lookback were appended since. The latest `passing`
 * messages are for this call alone, so no later call would find a mark on them.
 */
export function markForCache<System extends object, Tool extends object, Block extends { type: string }>(
  request: MarkableRequest<System, Tool, Block>,
  passing = 0,
): MarkedRequest<System, Tool, Block> {
  const { messages } = request;
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  const places = new Set([messages.length - 1 - passing, answer - 1]);
  return {
    system: markLast(request.system),
    tools: markLast(request.tools),
    messages: messages.map(({ role, content }, place) => ({
      role,
      content: places.has(place) ? markLast(content) : [...content],
    })),
  };
}

/** Thinking blocks cannot carry a mark; a message that ends with one gets none. */
function markLast<Item extends object>(items: readonly Item[]): (Item & Markable)[] {
  return items.map((item, place) => {
    const thinking = 'type' in item && (item.type === 'thinking' || item.type === 'redacted_thinking');
    return place === items.length - 1 && !thinking ? { ...item, cache_control: { type: 'ephemeral' } } : item;
  });
}
