/** The images that a page may show: four types that browsers only paint, if the bytes begin as the type requires. */

/** SVG is never included, because it is a document and may contain scripts. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF[\s\S]{4}WEBP/,
};

export function isShownType(mediaType: string): boolean {
  return Object.hasOwn(BEGINNINGS, mediaType);
}

/** Returns false for a page or program that is named like an image. */
export function isOfType(bytes: Uint8Array, mediaType: string): boolean {
  const begin = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return isShownType(mediaType) && BEGINNINGS[mediaType]?.test(begin) === true;
}

/** Returns `png` or the like, for the name under which a reader may save the image. */
export function toFileExtension(mediaType: string): string {
  return mediaType.slice('image/'.length);
}
