/** A retained message: no thinking, long results shortened (S0.11, docs/internals/compaction-cases.md T5). */
import type { Block, Message, ToolResultBlock } from '../../transcript/message.ts';

type ShortenedResults = Readonly<Record<string, string>>;

export type MessageEdits = {
  /** The thinking stays: the messages before it are unchanged, or the API drops it by itself. */
  keepsThinking?: boolean;
  /** Replaces the message's images (S3.10). */
  pointer?: string | undefined;
  /** Shortened inputs of calls, by the call's id (S1.4). */
  inputs?: Readonly<Record<string, Record<string, unknown>>> | undefined;
};

/** Thinking is bound to a prefix that is gone: all of it leaves, never a part (docs/internals/api-rules.md §2.5). */
export function shortenMessage(
  { role, content }: Message,
  shortened: ShortenedResults,
  edits: MessageEdits = {},
): Message {
  return { role, content: content.flatMap((block) => shortenBlock(block, shortened, edits)) };
}

function shortenBlock(block: Block, shortened: ShortenedResults, edits: MessageEdits): Block[] {
  const { keepsThinking = false, pointer, inputs = {} } = edits;
  switch (block.type) {
    case 'thinking':
    case 'redacted_thinking':
      return keepsThinking ? [block] : [];
    case 'image':
      return pointer === undefined ? [block] : [{ type: 'text', text: pointer }];
    case 'tool_result': {
      const text = Object.hasOwn(shortened, block.tool_use_id) ? shortened[block.tool_use_id] : undefined;
      return [withPointer(text === undefined ? block : withText(block, text), pointer)];
    }
    case 'tool_use':
      return [Object.hasOwn(inputs, block.id) ? { ...block, input: inputs[block.id] ?? {} } : block];
    default:
      return [block];
  }
}

/** Only text is shortened: images of the result stay. The cut may have split a surrogate pair. */
function withText(block: ToolResultBlock, raw: string): ToolResultBlock {
  const text = raw.toWellFormed();
  const images = typeof block.content === 'string' ? [] : (block.content ?? []).filter(({ type }) => type === 'image');
  return { ...block, content: images.length === 0 ? text : [{ type: 'text', text }, ...images] };
}

function withPointer(block: ToolResultBlock, pointer: string | undefined): ToolResultBlock {
  if (pointer === undefined || !Array.isArray(block.content)) return block;
  const content = block.content.map((part) =>
    part.type === 'image' ? { type: 'text' as const, text: pointer } : part,
  );
  return { ...block, content };
}
