/** An image of a conversation: the picture with type and size, or the reason why it cannot be shown. */
import { html, type Html } from '../../../report/html/html.ts';
import { countImageBytes } from '../../../transcript/images.ts';
import type { ImageBlock } from '../../../transcript/message.ts';
import { imageHash, type PictureFaults } from '../../read/read-images.ts';

/** `href` is the folder of the transcript's images. */
export type PictureContext = { href: string; faults: PictureFaults; entry: string };

export function pictureFigure(block: ImageBlock, { href, faults, entry }: PictureContext): Html {
  const fault = faults.get(block);
  const caption = `${block.source.media_type}, ${formatBytes(countImageBytes(block))}`;
  if (fault !== undefined) {
    return html`<p class="picture-gone">
      <span class="pill warn">no picture</span> <span>${caption}: ${fault}</span>
    </p>`;
  }
  const address = `${href}/${imageHash(block)}`;
  return html`<figure class="picture">
    <a href="${address}"><img src="${address}" alt="Picture in ${entry}" loading="lazy" decoding="async" /></a>
    <figcaption class="small soft">${caption}</figcaption>
  </figure>`;
}

function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
