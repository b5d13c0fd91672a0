/** Sizes of messages by every limit of a request: tokens, messages, bytes, images (docs/internals/compaction-cases.md T24). */
import { estimateBytes, countImages } from '../../transcript/bytes.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import type { Message } from '../../transcript/message.ts';

export type Load = { tokens: number; messages: number; bytes: number; images: number };

export const NO_LOAD: Load = { tokens: 0, messages: 0, bytes: 0, images: 0 };

export function measureLoad(message: Message): Load {
  return {
    tokens: estimateMessages([message]),
    messages: 1,
    bytes: estimateBytes(message),
    images: countImages(message),
  };
}

export function addLoad(one: Load, other: Load, sign: 1 | -1 = 1): Load {
  return {
    tokens: one.tokens + sign * other.tokens,
    messages: one.messages + sign * other.messages,
    bytes: one.bytes + sign * other.bytes,
    images: one.images + sign * other.images,
  };
}
