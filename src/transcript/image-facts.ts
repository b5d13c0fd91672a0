/** Reads the type and the pixels of an image from its bytes, and says why the API would refuse it (docs/internals/api-rules.md §2.7). */

export type ImageFacts = { mediaType: string; width: number; height: number };

export const IMAGE_HEAD_BYTES = 12;
/** The API takes ten million characters of base64 for one image. */
export const MOST_IMAGE_BYTES = 7_500_000;
const MOST_IMAGE_PIXELS = 8000;

type ImageFormat = {
  mediaType: string;
  begins: (head: string) => boolean;
  /** Width and height; undefined where the bytes end before them. */
  readSize: (bytes: Buffer) => [number, number] | undefined;
  isWhole: (bytes: Buffer) => boolean;
};

const FORMATS: readonly ImageFormat[] = [
  {
    mediaType: 'image/png',
    begins: (head) => head.startsWith('\u0089PNG\r\n\u001a\n'),
    readSize: (bytes) => (bytes.length < 24 ? undefined : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]),
    isWhole: (bytes) => bytes.lastIndexOf('IEND', undefined, 'latin1') > 0,
  },
  {
    mediaType: 'image/jpeg',
    begins: (head) => head.startsWith('\u00ff\u00d8\u00ff'),
    readSize: (bytes) => {
      const frame = findJpegSegment(bytes, isFrameStart);
      return frame === undefined ? undefined : [bytes.readUInt16BE(frame + 7), bytes.readUInt16BE(frame + 5)];
    },
    // The thumbnail of a camera ends with the same mark, but it stands before the scan.
    isWhole: (bytes) => {
      const scan = findJpegSegment(bytes, (marker) => marker === 0xda);
      return scan !== undefined && bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > scan;
    },
  },
  {
    mediaType: 'image/gif',
    begins: (head) => head.startsWith('GIF87a') || head.startsWith('GIF89a'),
    readSize: (bytes) => (bytes.length < 10 ? undefined : [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]),
    isWhole: isWholeGif,
  },
  {
    mediaType: 'image/webp',
    begins: (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP',
    readSize: readWebpSize,
    isWhole: (bytes) => bytes.length >= bytes.readUInt32LE(4) + 8,
  },
];

/** Detects the image types that the API takes by the first bytes, not by a name; undefined for every other type. */
export function detectImageType(head: Uint8Array): string | undefined {
  return findFormat(head)?.mediaType;
}

export function readImageFacts(given: Uint8Array): ImageFacts | undefined {
  const size = findFormat(given)?.readSize(toBuffer(given));
  const mediaType = detectImageType(given);
  return size === undefined || mediaType === undefined ? undefined : { mediaType, width: size[0], height: size[1] };
}

/** Returns the end of a sentence that begins with the image's name. */
export function findImageFault(given: Uint8Array): string | undefined {
  if (given.length === 0) return 'is empty';
  const format = findFormat(given);
  if (format === undefined) return 'is no PNG, JPEG, GIF or WebP';
  const facts = readImageFacts(given);
  if (facts === undefined || !format.isWhole(toBuffer(given))) return 'is cut off: the end of the image is missing';
  const { width, height } = facts;
  if (width === 0 || height === 0) return 'has no pixels';
  if (Math.max(width, height) > MOST_IMAGE_PIXELS)
    return `has ${width} × ${height} pixels, at most ${MOST_IMAGE_PIXELS} on a side can be shown`;
  if (given.length > MOST_IMAGE_BYTES)
    return `is an image of ${given.length} bytes, at most ${MOST_IMAGE_BYTES} can be shown`;
  return undefined;
}

function findFormat(head: Uint8Array): ImageFormat | undefined {
  const text = String.fromCharCode(...head.subarray(0, IMAGE_HEAD_BYTES));
  return FORMATS.find(({ begins }) => begins(text));
}

function toBuffer(given: Uint8Array): Buffer {
  return Buffer.from(given.buffer, given.byteOffset, given.byteLength);
}

/** Tables and arithmetic coding have marks in the same range, and no size. */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function findJpegSegment(bytes: Buffer, isWanted: (marker: number) => boolean): number | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes.readUInt8(at + 1);
    if (isWanted(marker)) return at;
    // Any number of 0xff may stand before a mark.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Walks from block to block: some programs leave the mark at the end out, or write more after it. */
function isWholeGif(bytes: Buffer): boolean {
  const colours = (flags = 0): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let at = 13 + colours(bytes[10]);
  let hasImage = false;
  while (bytes[at] === 0x21 || bytes[at] === 0x2c) {
    hasImage ||= bytes[at] === 0x2c;
    at += bytes[at] === 0x21 ? 2 : 11 + colours(bytes[at + 9]);
    for (let size = bytes[at]; size !== undefined && size > 0; size = bytes[at]) at += size + 1;
    at += 1;
  }
  return hasImage && at <= bytes.length;
}

/** One size for each of the three kinds of WebP: lossy, lossless and extended. */
function readWebpSize(bytes: Buffer): [number, number] | undefined {
  const kind = bytes.toString('latin1', 12, 16);
  if (bytes.length < (kind === 'VP8L' ? 25 : 30)) return undefined;
  if (kind === 'VP8X') return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (kind !== 'VP8L') return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  const sizes = bytes.readUInt32LE(21);
  return [(sizes & 0x3fff) + 1, ((sizes >> 14) & 0x3fff) + 1];
}
