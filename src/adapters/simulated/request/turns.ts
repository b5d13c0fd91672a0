/** The messages of a request as turns: consecutive messages of one role are merged (docs/api-rules.md §2.1). */
import type { ApiRequest, ContentBlock } from './shape.ts';

/** `at` is the block's place as the client sent it, which is how errors name it. */
export type IndexedBlock = { at: string; block: ContentBlock };
export type Turn = { role: 'user' | 'assistant' | 'system'; at: string; blocks: IndexedBlock[] };

export function mergeTurns(messages: ApiRequest['messages']): Turn[] {
  const turns: Turn[] = [];
  messages.forEach(({ role, content }, index) => {
    const at = `messages.${index}`;
    const blocks = blocksOf(content).map((block, place) => ({ at: `${at}.content.${place}`, block }));
    const last = turns.at(-1);
    // A compaction is a turn of its own: the answer that follows it was no part of it.
    if (last?.role === role && last.blocks[0]?.block.type !== 'compaction') last.blocks.push(...blocks);
    else turns.push({ role, at, blocks });
  });
  return turns;
}

/** A string is one text block; an empty one is no block at all. */
export function blocksOf(content: string | ContentBlock[]): ContentBlock[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}

/** The last turn in which a person speaks: user content that is not a tool result. What follows is the open tool loop. */
export function lastUserTurn(turns: readonly Turn[]): number {
  return turns.findLastIndex(
    ({ role, blocks }) => role === 'user' && blocks.some(({ block }) => block.type !== 'tool_result'),
  );
}
