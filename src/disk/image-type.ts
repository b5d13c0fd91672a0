/** Detects the image types that the API takes by the first bytes of a file, not by its name. */

export const IMAGE_HEAD_BYTES = 12;

/** Expects at least `IMAGE_HEAD_BYTES` bytes; returns undefined for every other type. */
export function detectImageType(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.subarray(0, IMAGE_HEAD_BYTES)).toString('latin1');
  if (text.startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png';
  if (text.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'image/gif';
  return text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP' ? 'image/webp' : undefined;
}
