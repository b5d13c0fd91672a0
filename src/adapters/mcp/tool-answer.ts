/** What a server answered, as a tool's result: text without control characters, images that the API takes, the rest by name. */
import { IMAGE_HEAD, imageType } from '../../disk/image-type.ts';
import type { ToolAnswer } from '../../ports/tools/tool-host.ts';
import { neutralise } from '../../report/text/sanitise.ts';
import type { ImageBlock } from '../../transcript/message.ts';
import { cutText } from '../anthropic/truncate-result.ts';

/** A part of an answer; nothing of it is trusted. */
type Part = { type: string } & Readonly<Record<string, unknown>>;
export type ServerAnswer = {
  content?: readonly Part[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
};

/** What is cut is redacted before: half a key would be known to nobody as one. */
type Shown = { maxChars: number; redact: (text: string) => string };

const MOST_IMAGES = 10;
/** The API takes ten million bytes of base64 for one image. */
const IMAGE_CHARS = 9_400_000;

export function toolAnswer(
  { content = [], structuredContent, isError }: ServerAnswer,
  { maxChars, redact }: Shown,
): ToolAnswer {
  const shown = content.filter(isImage).slice(0, MOST_IMAGES);
  const images = shown.flatMap((part) => imageOf(part) ?? []);
  const lines = content.map((part) => lineOf(part, shown));
  const text =
    lines.every((line) => line === '') && structuredContent !== undefined
      ? jsonOf(structuredContent)
      : lines.join('\n');
  const cut = cutText(redact(neutralise(text)), maxChars, () => 'Ask the tool for less at a time.');
  return { content: cut, is_error: isError === true, ...(images.length > 0 && { images }) };
}

function lineOf(part: Part, shown: readonly Part[]): string {
  if (part.type === 'text') return textOf(part['text']);
  if (isImage(part))
    return shown.includes(part) && imageOf(part) !== undefined ? '[an image]' : '[an image that cannot be shown]';
  if (part.type === 'resource') {
    const resource = (part['resource'] ?? {}) as Readonly<Record<string, unknown>>;
    const name = textOf(resource['uri']);
    return typeof resource['text'] === 'string' ? `[${name}]\n${resource['text']}` : `[${name}: no text]`;
  }
  if (part.type === 'resource_link') return `[see ${textOf(part['uri'])} ${textOf(part['name'])}]`;
  return `[${part.type}: left out]`;
}

/** By its first bytes, not by what the server says of it. */
function imageOf(part: Part): ImageBlock | undefined {
  const data = textOf(part['data']);
  if (data.length > IMAGE_CHARS || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  const media_type = imageType(Buffer.from(data.slice(0, IMAGE_HEAD * 2), 'base64').subarray(0, IMAGE_HEAD));
  return media_type === undefined ? undefined : { type: 'image', source: { type: 'base64', media_type, data } };
}

const isImage = (part: Part): boolean => part.type === 'image';
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
