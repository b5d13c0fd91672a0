/** The images of a message, in its own blocks and in those of tool results, and the pointers to stored bytes (S3.10). */
import type { Entry } from './entry.ts';
import type { Block, ImageBlock, Message } from './message.ts';

export function imageBlocks({ content }: Pick<Message, 'content'>): ImageBlock[] {
  return content.flatMap((block): ImageBlock[] => {
    if (block.type === 'image') return [block];
    if (block.type !== 'tool_result' || !Array.isArray(block.content)) return [];
    return block.content.filter((part) => part.type === 'image');
  });
}

/** The same message with other images; without any it is the message itself. */
export function mapImages<WithContent extends { content: Block[] }>(
  message: WithContent,
  change: (block: ImageBlock) => ImageBlock,
): WithContent {
  if (imageBlocks(message).length === 0) return message;
  return { ...message, content: message.content.map((block) => changed(block, change)) };
}

function changed<Part extends Block>(block: Part, change: (block: ImageBlock) => ImageBlock): Part {
  if (block.type === 'image') return { ...block, ...change(block) };
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return block;
  return { ...block, content: block.content.map((part) => (part.type === 'image' ? change(part) : part)) };
}

/** The bytes of the image itself. */
export function imageBytes({ source }: ImageBlock): number {
  if (source.type === 'stored') return source.bytes;
  const padding = source.data.endsWith('==') ? 2 : source.data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((source.data.length * 3) / 4) - padding);
}

/** Its size as base64 in the body of a request, wherever its bytes are now. */
export function sentBytes({ source }: ImageBlock): number {
  return source.type === 'stored' ? 4 * Math.ceil(source.bytes / 3) : source.data.length;
}

/** The hashes of all images that are stored outside of the entries. */
export function storedImages(entries: readonly Entry[]): string[] {
  const blocks = entries.flatMap((entry) => (entry.type === 'message' ? imageBlocks(entry.message) : []));
  return [...new Set(blocks.flatMap(({ source }) => (source.type === 'stored' ? [source.sha256] : [])))];
}
