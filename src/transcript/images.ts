/** The images of a message, in its own blocks and in tool results, and the pointers to stored bytes (S3.10). */
import type { Entry } from './entry.ts';
import type { Block, ImageBlock, Message } from './message.ts';

export function listImageBlocks({ content }: Pick<Message, 'content'>): ImageBlock[] {
  return content.flatMap((block): ImageBlock[] => {
    if (block.type === 'image') return [block];
    if (block.type !== 'tool_result' || !Array.isArray(block.content)) return [];
    return block.content.filter((part) => part.type === 'image');
  });
}

/** Returns the message with changed images, or the message itself when it has none. */
export function mapImages<WithContent extends { content: Block[] }>(
  message: WithContent,
  change: (block: ImageBlock) => ImageBlock,
): WithContent {
  if (listImageBlocks(message).length === 0) return message;
  return { ...message, content: message.content.map((block) => changeImages(block, change)) };
}

function changeImages<Part extends Block>(block: Part, change: (block: ImageBlock) => ImageBlock): Part {
  if (block.type === 'image') return { ...block, ...change(block) };
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return block;
  return { ...block, content: block.content.map((part) => (part.type === 'image' ? change(part) : part)) };
}

/** The size of the decoded image in bytes. */
export function countImageBytes({ source }: ImageBlock): number {
  if (source.type === 'stored') return source.bytes;
  const padding = source.data.endsWith('==') ? 2 : source.data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((source.data.length * 3) / 4) - padding);
}

/** The size as base64 in a request body, wherever the bytes are stored now. */
export function countSentBytes({ source }: ImageBlock): number {
  return source.type === 'stored' ? 4 * Math.ceil(source.bytes / 3) : source.data.length;
}

/** Lists the hashes of all images that are stored outside of the entries. */
export function listStoredImages(entries: readonly Entry[]): string[] {
  const blocks = entries.flatMap((entry) => (entry.type === 'message' ? listImageBlocks(entry.message) : []));
  return [...new Set(blocks.flatMap(({ source }) => (source.type === 'stored' ? [source.sha256] : [])))];
}
