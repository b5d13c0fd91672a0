/** A file that is an image, by its first bytes and not by its name: the model sees it as one. */
import { open, stat } from 'node:fs/promises';
import { IMAGE_HEAD_BYTES, MOST_IMAGE_BYTES, detectImageType, findImageFault } from '../../transcript/image-facts.ts';
import type { ToolAnswer } from '../../ports/tools/tool-host.ts';
import { FileToolError } from './mounts.ts';

export type ImageFile = Required<Pick<ToolAnswer, 'content' | 'images'>>;

/** Undefined for everything else, and for what is no file: the text tool has its own words for that. */
export async function readImage(path: string, name: string): Promise<ImageFile | undefined> {
  const found = await stat(path).catch(() => undefined);
  // Reading a pipe would wait for a writer.
  if (found?.isFile() !== true) return undefined;
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const head = Buffer.alloc(IMAGE_HEAD_BYTES);
    await file.read(head, 0, IMAGE_HEAD_BYTES, 0);
    const media_type = detectImageType(head);
    if (media_type === undefined) return undefined;
    if (found.size > MOST_IMAGE_BYTES)
      throw new FileToolError(`${name} is an image of ${found.size} bytes; at most ${MOST_IMAGE_BYTES} can be shown.`);
    const bytes = await file.readFile();
    const fault = findImageFault(bytes);
    if (fault !== undefined) throw new FileToolError(`${name} ${fault}.`);
    const source = { type: 'base64' as const, media_type, data: bytes.toString('base64') };
    return { content: `${name}: ${media_type}, ${bytes.length} bytes`, images: [{ type: 'image', source }] };
  } finally {
    await file.close();
  }
}
