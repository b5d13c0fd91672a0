/** Checks one block by itself against the rules of the Messages API. */
import { toSendableImage } from './images.ts';
import type { Block } from './message.ts';

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns the rule that the block breaks by itself. */
export function findBlockFault(block: Block): string | undefined {
  if (!isWellFormed(block)) return 'lone_surrogate';
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? 'empty_text' : undefined;
    case 'image':
      return toSendableImage(block) === block ? undefined : 'image_source';
    case 'thinking':
      return block.signature === '' ? 'unsigned_thinking' : undefined;
    case 'redacted_thinking':
      return block.data === '' ? 'unsigned_thinking' : undefined;
    case 'tool_use':
      return TOOL_NAME.test(block.name) ? undefined : 'tool_name';
    case 'tool_result':
      if (block.content === undefined) return undefined;
      if (typeof block.content === 'string') return isBlank(block.content) ? 'empty_text' : undefined;
      if (block.is_error === true && block.content.some((part) => part.type !== 'text' || 'wire' in part))
        return 'error_not_text';
      return block.content.length === 0 ? 'empty_content' : block.content.map(findBlockFault).find((rule) => rule);
    case 'compaction':
      return isBlank(block.content) ? 'empty_text' : undefined;
    case 'unknown':
      return undefined;
    default:
      return block satisfies never;
  }
}

/** The API treats whitespace as empty text. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** True when no key and no string value contains half a surrogate pair. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, part]) => key.isWellFormed() && isWellFormed(part));
}
