/** A kept message as it stands after a compaction: no thinking, long results shortened (S0.11, T5). */
import type { Message, ToolResultBlock } from '../transcript/message.ts';

/** Thinking is bound to a prefix that is gone: all of it leaves, never a part (messages-api §2.5). */
export function asKept({ role, content }: Message, shortened: Readonly<Record<string, string>>): Message {
  return {
    role,
    content: content.flatMap((block) => {
      if (block.type === 'thinking' || block.type === 'redacted_thinking') return [];
      if (block.type !== 'tool_result' || !Object.hasOwn(shortened, block.tool_use_id)) return [block];
      return [withText(block, shortened[block.tool_use_id] ?? '')];
    }),
  };
}

/** Only text is shortened: images of the result stay. */
function withText(block: ToolResultBlock, text: string): ToolResultBlock {
  const images = typeof block.content === 'string' ? [] : (block.content ?? []).filter(({ type }) => type === 'image');
  return { ...block, content: images.length === 0 ? text : [{ type: 'text', text }, ...images] };
}
