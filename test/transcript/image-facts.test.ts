import { expect, test } from 'vitest';
import { detectImageType, findImageFault, readImageFacts } from '../../src/transcript/image-facts.ts';
import { BMP, gifOf, jpegOf, pngOf, webpOf } from '../support/images.ts';

const FORMATS = [
  ['PNG', pngOf(300, 20), 'image/png', 300, 20],
  ['JPEG after a thumbnail', jpegOf(1200, 900), 'image/jpeg', 1200, 900],
  ['GIF', gifOf(640, 480), 'image/gif', 640, 480],
  ['lossy WebP', webpOf(1024, 77, 'VP8 '), 'image/webp', 1024, 77],
  ['lossless WebP', webpOf(1025, 4097, 'VP8L'), 'image/webp', 1025, 4097],
  ['extended WebP', webpOf(300, 7000, 'VP8X'), 'image/webp', 300, 7000],
] as const;

test.each(FORMATS)('%s: type and size are read, and it can be sent', (_, bytes, mediaType, width, height) => {
  expect(readImageFacts(bytes)).toEqual({ mediaType, width, height });
  expect(detectImageType(bytes.subarray(0, 12))).toBe(mediaType);
  expect(findImageFault(bytes)).toBeUndefined();
  expect(findImageFault(new Uint8Array(bytes))).toBeUndefined();
  expect(findImageFault(Buffer.concat([bytes, Buffer.from('more, as some programs write it')]))).toBeUndefined();
});

test.each(FORMATS)('%s: cut anywhere it is refused, and nothing throws', (_, bytes) => {
  // The last bytes of a GIF and of a PNG say nothing that a reader needs.
  for (let length = 0; length < bytes.length - 8; length += 1)
    expect(findImageFault(bytes.subarray(0, length)), String(length)).toBeDefined();
});

test.each([
  ['nothing', Buffer.alloc(0), 'is empty'],
  ['a BMP', BMP, 'is no PNG, JPEG, GIF or WebP'],
  ['a page of an error', Buffer.from('<html>404</html>'), 'is no PNG, JPEG, GIF or WebP'],
  ['no pixels', gifOf(0, 10), 'has no pixels'],
  ['too wide', pngOf(8001, 1), 'has 8001 × 1 pixels, at most 8000'],
  ['too high', jpegOf(1, 9000), 'has 1 × 9000 pixels, at most 8000'],
  ['too many bytes', Buffer.concat([pngOf(1, 1), Buffer.alloc(7_500_000)]), 'at most 7500000 can be shown'],
])('%s is refused by a sentence', (_, bytes, says) => {
  expect(findImageFault(bytes)).toContain(says);
});

test('exactly 8,000 pixels can be sent', () => {
  expect(findImageFault(pngOf(8000, 1))).toBeUndefined();
});
