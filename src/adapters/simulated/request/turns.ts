/** The messages of a request as turns: consecutive messages of one role are merged (docs/internals/api-rules.md §2.1). */
import type { ApiRequest, ContentBlock } from './shape.ts';

/** `at` is the block's path in the request as sent, which errors name. */
export type IndexedBlock = { at: string; block: ContentBlock };
export type MergedTurn = { role: 'user' | 'assistant' | 'system'; at: string; blocks: IndexedBlock[] };

export function mergeTurns(messages: ApiRequest['messages']): MergedTurn[] {
  const turns: MergedTurn[] = [];
  messages.forEach(({ role, content }, index) => {
    const at = `messages.${index}`;
    const blocks = toContentBlocks(content).map((block, place) => ({ at: `${at}.content.${place}`, block }));
    const last = turns.at(-1);
    // A compaction is a separate turn, because the answer after it was not part of it.
    if (last?.role === role && last.blocks[0]?.block.type !== 'compaction') last.blocks.push(...blocks);
    else turns.push({ role, at, blocks });
  });
  return turns;
}

/** A string is one text block; an empty string is no block at all. */
export function toContentBlocks(content: string | ContentBlock[]): ContentBlock[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}

/** Finds the last turn in which a person speaks: user content that is no tool result. The open tool loop follows it. */
export function lastUserTurn(turns: readonly MergedTurn[]): number {
  return turns.findLastIndex(
    ({ role, blocks }) => role === 'user' && blocks.some(({ block }) => block.type !== 'tool_result'),
  );
}
