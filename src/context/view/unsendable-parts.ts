/** Parts that cannot be sent as they are become text with a line that says so: nothing that was said or called is lost. */
import { takeHead } from '../../transcript/tokens.ts';
import type { Block, Message, ToolResultBlock, ToolUseBlock } from '../../transcript/message.ts';

/** The most characters of one part; the entry has all of them. */
const MOST_CHARS = 4000;

const OTHER_ROLE: Readonly<Record<Message['role'], ReadonlySet<Block['type']>>> = {
  user: new Set(['tool_use', 'thinking', 'redacted_thinking', 'compaction']),
  assistant: new Set(['tool_result', 'image']),
  system: new Set(),
};

/** A part that a message of this role cannot hold. */
export function toPlaceable(block: Block, role: Message['role']): Block {
  if (!OTHER_ROLE[role].has(block.type)) return block;
  const shown = block.type === 'image' ? block.source.media_type : JSON.stringify(block);
  return {
    type: 'text',
    text: `[A part of type ${block.type}, which no message of this role can hold: ${cut(shown)}]`,
  };
}

/** A result without an open call, such as a late one. Of a call that has its result, the entry is named alone. */
export function describeStray(block: ToolResultBlock, entry: string, earlier: ToolResultBlock | undefined): Block[] {
  const { tool_use_id: id, content } = block;
  if (content === undefined || JSON.stringify(content) === JSON.stringify(earlier?.content)) return [];
  if (earlier !== undefined)
    return [{ type: 'text', text: `[Entry ${entry} has another result for the call ${id}, which is left out.]` }];
  const line = `[A result for the call ${id || 'without an id'}, which waits for none here:]`;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return [{ type: 'text', text: line }, ...parts.filter((part) => part.type !== 'text' || part.text.trim() !== '')];
}

/** The result of a call whose input was no JSON object begins with what the model wrote. */
export function withMalformedInput(block: ToolResultBlock, { malformed }: ToolUseBlock): ToolResultBlock {
  if (malformed === undefined) return block;
  const text = `[The input of this call was no JSON object, and stands as {}. The model wrote: ${cut(malformed)}]`;
  const { content } = block;
  if (Array.isArray(content)) return { ...block, content: [{ type: 'text', text }, ...content] };
  return { ...block, content: content === undefined ? text : `${text}\n${content}` };
}

function cut(text: string): string {
  const head = takeHead(text, MOST_CHARS).toWellFormed();
  return head.length < text.length ? `${head} (… ${text.length} characters in all)` : head;
}
