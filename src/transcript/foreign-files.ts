/** Images and documents in parts of vendors, which are passed on as they came: one that no API takes becomes a text. */
import { isBase64 } from './encoded-data.ts';
import { toSendableImage } from './images.ts';
import type { Block, ImageBlock, TextBlock } from './message.ts';

type ForeignFile = { mediaType: string; data: string };
type Fields = Readonly<Record<string, unknown>>;

/** Takes a block of an unknown kind, or a text that holds such a part as `wire`; returns the block itself where it can be sent. */
export function toSendableFile(block: TextBlock): TextBlock | ImageBlock;
export function toSendableFile(block: Block): Block;
export function toSendableFile(block: Block): Block {
  const wire = toFields(Reflect.get(block, 'wire'));
  const file = readForeignFile(wire);
  if (file === undefined) return block;
  if (file.mediaType === 'application/pdf') {
    const fault = findPdfFault(file.data);
    return fault === undefined ? block : { type: 'text', text: `[A document is left out: it ${fault}.]` };
  }
  const image: ImageBlock = {
    type: 'image',
    source: { type: 'base64', media_type: file.mediaType, data: file.data },
  };
  const sendable = toSendableImage(image);
  if (sendable.type === 'text') return sendable;
  // Only a part without a media type, or with other fields, is not read as an image of the Messages API.
  return toFields(wire['source'])['type'] === 'base64' ? sendable : block;
}

/** Undefined for every other part, and for a file that is named by an address or an id. */
export function readForeignFile(wire: Fields): ForeignFile | undefined {
  const { type, image, data } = wire;
  const source = toFields(wire['source']);
  const mediaType = toText(wire['mediaType'] ?? source['media_type']);
  if ((type === 'image' || (type === 'document' && mediaType === 'application/pdf')) && source['type'] === 'base64')
    return { mediaType, data: toText(source['data']) };
  if (type === 'image_url') return readDataUrl(toFields(wire['image_url'])['url']);
  if (type === 'file' && 'file' in wire) return readDataUrl(toFields(wire['file'])['file_data']);
  if (type === 'image' && typeof image === 'string' && !isAddress(image)) return { mediaType, data: image };
  const held = toFields(data)['type'] === 'data' ? toFields(data)['data'] : data;
  return isReadable(mediaType) && typeof held === 'string' && !isAddress(held) ? { mediaType, data: held } : undefined;
}

function readDataUrl(url: unknown): ForeignFile | undefined {
  const [, mediaType = '', data = ''] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(toText(url)) ?? [];
  return typeof url === 'string' && url.startsWith('data:') && isReadable(mediaType) ? { mediaType, data } : undefined;
}

function isReadable(mediaType: string): boolean {
  return mediaType.startsWith('image/') || mediaType === 'application/pdf';
}

function findPdfFault(data: string): string | undefined {
  if (data === '') return 'is empty';
  if (!isBase64(data)) return 'is not in base64';
  // Other writers may put some bytes before the head.
  return atob(data.slice(0, 1368)).includes('%PDF') ? undefined : 'is no PDF';
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
