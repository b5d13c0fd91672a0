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

// oxlint-disable-next-line no-control-regex -- every one-byte character, control characters included
const ONE_BYTE = /^[\u0000-\u007f]*$/;

/** Counts UTF-8 bytes, half a surrogate pair as two, and adds about one backslash per 32 characters for escapes. */
function estimateTextBytes(text: string): number {
  let bytes = Math.ceil(text.length / 32);
  if (ONE_BYTE.test(text)) return bytes + text.length;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}
