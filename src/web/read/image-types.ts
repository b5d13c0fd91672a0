/** Which images a page may show: the four types that browsers only ever paint, and only while the bytes begin as their type does. */

/** Never SVG: it is a document, and may hold scripts. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF[\s\S]{4}WEBP/,
};

export function isShownType(mediaType: string): boolean {
  return Object.hasOwn(BEGINNINGS, mediaType);
}

/** False for a page or a program with the name of an image. */
export function isOfType(bytes: Uint8Array, mediaType: string): boolean {
  const begin = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return isShownType(mediaType) && BEGINNINGS[mediaType]?.test(begin) === true;
}

/** `png`, for the name under which a reader may save it. */
export function extensionOf(mediaType: string): string {
  return mediaType.slice('image/'.length);
}
