/** With more than 20 images in a request the API takes none over 2,000 pixels: the larger ones become text (docs/internals/api-rules.md §2.7). */
import { getImageSize, listImageBlocks, mapImages } from '../../transcript/images.ts';
import type { ImageBlock, Message } from '../../transcript/message.ts';
import type { ViewMessage } from './projector.ts';

const MOST_LARGE = 20;
const MOST_PIXELS = 2000;
const LEFT_OUT = `[An image is left out: over ${MOST_PIXELS} pixels on a side, it cannot be sent among more than ${MOST_LARGE} images.]`;

/** Changes the messages in place; returns the place of the first one that changed. */
export function leaveLargeImages(shown: ViewMessage[]): number | undefined {
  const count = shown.reduce((sum, { message }) => sum + listImageBlocks(message).length, 0);
  if (count <= MOST_LARGE) return undefined;
  const first = shown.findIndex(({ message }) => listImageBlocks(message).some(isLarge));
  if (first < 0) return undefined;
  for (const [place, { id, message }] of shown.entries()) shown[place] = { id, message: withoutLarge(message) };
  return first;
}

function withoutLarge(message: Message): Message {
  return mapImages(message, (block) => (isLarge(block) ? { type: 'text', text: LEFT_OUT } : block));
}

function isLarge(block: ImageBlock): boolean {
  const size = getImageSize(block);
  return size !== undefined && Math.max(size.width, size.height) > MOST_PIXELS;
}
