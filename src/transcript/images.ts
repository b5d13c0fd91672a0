/** The images of a message, in its own blocks and in tool results, pointers to stored bytes (S3.10), and foreign files. */
import { getOrCreate } from '../get-or-create.ts';
import { isBase64 } from './encoded-data.ts';
import type { Entry } from './entry.ts';
import { findImageFault, readImageFacts } from './image-facts.ts';
import type { Block, ImageBlock, Message, TextBlock } from './message.ts';

const MEDIA_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

export function listImageBlocks({ content }: Pick<Message, 'content'>): ImageBlock[] {
  return content.flatMap((block): ImageBlock[] => {
    if (block.type === 'image') return [block];
    if (block.type !== 'tool_result' || !Array.isArray(block.content)) return [];
    return block.content.filter((part) => part.type === 'image');
  });
}

type ImageChange = (block: ImageBlock) => ImageBlock | TextBlock;

/** Returns the message with changed images, or the message itself when it has none. */
export function mapImages<WithContent extends { content: Block[] }>(
  message: WithContent,
  change: ImageChange,
): WithContent {
  if (listImageBlocks(message).length === 0) return message;
  return { ...message, content: message.content.map((block) => changeImages(block, change)) };
}

function changeImages(block: Block, change: ImageChange): Block {
  if (block.type === 'image') {
    const { type: _type, source: _source, ...rest } = block;
    return { ...rest, ...change(block) };
  }
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return block;
  return { ...block, content: block.content.map((part) => (part.type === 'image' ? change(part) : part)) };
}

type ImageSource = ImageBlock['source'];
type ImageSize = { width: number; height: number };
type ReadImage = { source: ImageSource; size?: ImageSize | undefined } | { fault: string };

/** Images are read once, however often they are sent, counted and checked. */
const READ = new WeakMap<ImageSource, ReadImage>();

/** Returns the image as the API takes it, or a text that says why it is left out. */
export function toSendableImage(block: ImageBlock): ImageBlock | TextBlock {
  const read = readSource(block.source);
  if ('fault' in read) return { type: 'text', text: `[An image is left out: it ${read.fault}.]` };
  return read.source === block.source ? block : { ...block, source: read.source };
}

/** Undefined for an image that was stored without its size, and for one that cannot be sent. */
export function getImageSize({ source }: ImageBlock): ImageSize | undefined {
  const read = readSource(source);
  return 'fault' in read ? undefined : read.size;
}

function readSource(source: ImageSource): ReadImage {
  return getOrCreate(READ, source, () => (source.type === 'stored' ? readStored(source) : readBase64(source)));
}

function readStored(source: Extract<ImageSource, { type: 'stored' }>): ReadImage {
  const { media_type, bytes, width, height } = source;
  if (!MEDIA_TYPES.has(media_type) || bytes === 0) return { fault: 'is no PNG, JPEG, GIF or WebP' };
  return { source, size: width === undefined || height === undefined ? undefined : { width, height } };
}

/** Corrects a wrong media type, and takes away line breaks and the head of a data URL, which the API refuses. */
function readBase64(source: Extract<ImageSource, { type: 'base64' }>): ReadImage {
  const data = source.data.replace(/^data:[^,]*,/, '').replaceAll(/\s+/g, '');
  if (!isBase64(data)) return { fault: 'is not in base64' };
  const bytes = Buffer.from(data, 'base64');
  const facts = readImageFacts(bytes);
  const fault = findImageFault(bytes);
  if (facts === undefined || fault !== undefined) return { fault: fault ?? 'cannot be read' };
  const { mediaType: media_type, ...size } = facts;
  const isPlain = data === source.data && media_type === source.media_type;
  return { source: isPlain ? source : { type: 'base64', media_type, data }, size };
}

/** The size of the decoded image in bytes. */
export function countImageBytes({ source }: ImageBlock): number {
  if (source.type === 'stored') return source.bytes;
  const padding = source.data.endsWith('==') ? 2 : source.data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((source.data.length * 3) / 4) - padding);
}

/** The size as base64 in a request body, wherever the bytes are stored now. */
export function countSentBytes({ source }: ImageBlock): number {
  return source.type === 'stored' ? 4 * Math.ceil(source.bytes / 3) : source.data.length;
}

/** Lists the hashes of all images that are stored outside of the entries. */
export function listStoredImages(entries: readonly Entry[]): string[] {
  const blocks = entries.flatMap((entry) => (entry.type === 'message' ? listImageBlocks(entry.message) : []));
  return [...new Set(blocks.flatMap(({ source }) => (source.type === 'stored' ? [source.sha256] : [])))];
}

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
