/** About how many bytes a message takes in the request's body, which is limited too (docs/compaction-cases.md T24). */
import { imageBlocks, sentBytes } from './images.ts';
import type { Block, Message } from './message.ts';

/** Names, quotes and braces around the content of a block. */
const FRAME = 60;

export function bytesOf({ content }: Pick<Message, 'content'>): number {
  return content.reduce((sum, block) => sum + FRAME + blockBytes(block), 0);
}

/** Blocks with an image, as the API counts them; those inside a result count as well. */
export function imagesOf(message: Pick<Message, 'content'>): number {
  return imageBlocks(message).length;
}

function blockBytes(block: Block): number {
  switch (block.type) {
    case 'text':
      return textBytes(block.text);
    case 'image':
      return sentBytes(block);
    case 'thinking':
      return textBytes(block.thinking) + block.signature.length;
    case 'redacted_thinking':
      return block.data.length;
    case 'tool_use':
      return textBytes(JSON.stringify(block.input)) + block.name.length;
    case 'tool_result':
      if (block.content === undefined) return 0;
      if (typeof block.content === 'string') return textBytes(block.content);
      return block.content.reduce((sum, part) => sum + FRAME + blockBytes(part), 0);
    case 'compaction':
      return textBytes(JSON.stringify(block));
    case 'unknown':
      return textBytes(JSON.stringify(block.wire));
    default:
      return block satisfies never;
  }
}

// oxlint-disable-next-line no-control-regex -- every sign of one byte, control characters among them
const ONE_BYTE = /^[\u0000-\u007f]*$/;

/** In UTF-8, half a pair counted as half of its four bytes; line breaks and quotes cost a backslash more, about. */
function textBytes(text: string): number {
  let bytes = Math.ceil(text.length / 32);
  if (ONE_BYTE.test(text)) return bytes + text.length;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}
