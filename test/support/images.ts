/** Small images of every format, made byte by byte as the formats say, and what is no image. */
import type { ImageBlock } from '../../src/transcript/message.ts';
import { wrapPng } from './pictures.ts';

const bytes = (...parts: (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
const big = (value: number): number[] => [value >> 8, value & 255];
const little = (value: number): number[] => [value & 255, value >> 8];

/** One colour, so that a picture of many pixels is small. */
export const pngOf = (width: number, height: number): Buffer =>
  wrapPng(width, height, Buffer.alloc((width * 3 + 1) * height));

/** `thumbnail` is a whole picture inside a segment, as cameras write it. */
export const jpegOf = (width: number, height: number): Buffer => {
  const thumbnail = [0xff, 0xe1, ...big(10), 0xff, 0xd8, 0xff, 0xc0, 0, 0, 0xff, 0xd9];
  const frame = [0xff, 0xff, 0xc2, ...big(11), 8, ...big(height), ...big(width), 1, 1, 0x11, 0];
  const scan = [0xff, 0xda, ...big(8), 1, 1, 0, 0, 63, 0, ...Array.from({ length: 40 }, () => 0x55)];
  return bytes([0xff, 0xd8], thumbnail, [0xff, 0xc4, 0, 4, 0, 0], frame, scan, [0xff, 0xd9]);
};

export const gifOf = (width: number, height: number): Buffer =>
  bytes(
    'GIF89a',
    little(width),
    little(height),
    [0x80, 0, 0],
    [0, 0, 0, 255, 255, 255],
    [0x21, 0xf9, 4, 0, 0, 0, 0, 0],
    [...[0x2c, 0, 0, 0, 0, ...little(width), ...little(height), 0], ...[2, 3, 0x44, 0x01, 0x05, 2, 1, 1, 0, 0x3b]],
  );

export const webpOf = (width: number, height: number, kind: 'VP8 ' | 'VP8L' | 'VP8X'): Buffer => {
  const [wide, high] = [width - 1, height - 1];
  const body = {
    'VP8 ': [0, 0, 0, 0x9d, 0x01, 0x2a, ...little(width), ...little(height), 0, 0],
    VP8L: [0x2f, wide & 255, ((wide >> 8) & 0x3f) | ((high & 3) << 6), (high >> 2) & 255, high >> 10, 0],
    VP8X: [0, 0, 0, 0, wide & 255, wide >> 8, 0, high & 255, high >> 8, 0],
  }[kind];
  const size = (count: number) => [count & 255, count >> 8, 0, 0];
  return bytes('RIFF', size(12 + body.length), 'WEBP', kind, size(body.length), body);
};

export const BMP = bytes(
  'BM',
  [58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0],
  Array.from({ length: 44 }, () => 1),
);

export const imageOf = (content: Buffer | string, media_type = 'image/png'): ImageBlock => ({
  type: 'image',
  source: { type: 'base64', media_type, data: typeof content === 'string' ? content : content.toString('base64') },
});

/** Images that the API refuses, with words of the text that stands in their place. */
export const REFUSED_IMAGES: readonly [string, ImageBlock, string][] = [
  ['over 8,000 pixels', imageOf(pngOf(9000, 2)), '9000 × 2 pixels'],
  ['cut to 60 bytes', imageOf(pngOf(30, 30).subarray(0, 60)), 'cut off'],
  ['a BMP under the name of a PNG', imageOf(BMP), 'no PNG, JPEG, GIF or WebP'],
  ['a BMP', imageOf(BMP, 'image/bmp'), 'no PNG, JPEG, GIF or WebP'],
  ['empty', imageOf(''), 'empty'],
  ['no base64', imageOf('<html>not found</html>'), 'not in base64'],
];

const LARGE = pngOf(1184, 1000);

/** A picture of 1,600 tokens, with so many more bytes behind its end. */
export const paddedPng = (more = 0): Buffer => Buffer.concat([LARGE, Buffer.alloc(more, 7)]);
