/** Estimates a message's bytes in the request body, whose size is limited too (docs/internals/compaction-cases.md T24). */
import { listImageBlocks, countSentBytes } from './images.ts';
import type { Block, Message } from './message.ts';

/** The bytes of names, quotes and braces around the content of a block. */
const BLOCK_FRAME_BYTES = 60;

export function estimateBytes({ content }: Pick<Message, 'content'>): number {
  return content.reduce((sum, block) => sum + BLOCK_FRAME_BYTES + estimateBlockBytes(block), 0);
}

/** Counts image blocks as the API does, including those inside tool results. */
export function countImages(message: Pick<Message, 'content'>): number {
  return listImageBlocks(message).length;
}

function estimateBlockBytes(block: Block): number {
  switch (block.type) {
    case 'text':
      return estimateTextBytes(block.text);
    case 'image':
      return countSentBytes(block);
    case 'thinking':
      return estimateTextBytes(block.thinking) + block.signature.length;
    case 'redacted_thinking':
      return block.data.length;
    case 'tool_use':
      return estimateTextBytes(JSON.stringify(block.input)) + block.name.length;
    case 'tool_result':
      if (block.content === undefined) return 0;
      if (typeof block.content === 'string') return estimateTextBytes(block.content);
      return block.content.reduce((sum, part) => sum + BLOCK_FRAME_BYTES + estimateBlockBytes(part), 0);
    case 'compaction':
      return estimateTextBytes(JSON.stringify(block));
    case 'unknown':
      return estimateTextBytes(JSON.stringify(block.wire));
    default:
      return block satisfies never;
  }
}

/** Counts UTF-8 bytes, and adds about one backslash per 32 characters for escapes. */
function estimateTextBytes(text: string): number {
  return Math.ceil(text.length / 32) + Buffer.byteLength(text);
}
