/** Converts a server's answer to a tool result: clean text, images that the API accepts, and names of all other parts. */
import type { ToolAnswer } from '../../ports/tools/tool-host.ts';
import { neutraliseText } from '../../report/text/sanitise.ts';
import { toSendableImage } from '../../transcript/images.ts';
import type { ImageBlock } from '../../transcript/message.ts';
import { cutText } from '../anthropic/truncate-result.ts';

/** A part of an answer; none of it is trusted. */
type AnswerPart = { type: string } & Readonly<Record<string, unknown>>;
export type ServerAnswer = {
  content?: readonly AnswerPart[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
};

/** `redact` runs before the text is cut, because half a key would not be recognized. */
type DisplayOptions = { maxChars: number; redact: (text: string) => string };

const MOST_IMAGES = 10;

export function toolAnswer(
  { content = [], structuredContent, isError }: ServerAnswer,
  { maxChars, redact }: DisplayOptions,
): ToolAnswer {
  const shown = content.filter(isImage).slice(0, MOST_IMAGES);
  const images = shown.map(readImagePart).filter((block): block is ImageBlock => block.type === 'image');
  const lines = content.map((part) => formatPart(part, shown));
  const text =
    lines.every((line) => line === '') && structuredContent !== undefined
      ? (JSON.stringify(structuredContent) ?? '')
      : lines.join('\n');
  const cut = cutText(redact(neutraliseText(text)), maxChars, () => 'Ask the tool for less at a time.');
  return { content: cut, is_error: isError === true, ...(images.length > 0 && { images }) };
}

function formatPart(part: AnswerPart, shown: readonly AnswerPart[]): string {
  if (part.type === 'text') return toText(part['text']);
  if (isImage(part)) {
    const block = readImagePart(part);
    if (block.type === 'text') return block.text;
    return shown.includes(part) ? '[an image]' : `[an image: at most ${MOST_IMAGES} are shown]`;
  }
  if (part.type === 'resource') {
    const resource = (part['resource'] ?? {}) as Readonly<Record<string, unknown>>;
    const name = toText(resource['uri']);
    return typeof resource['text'] === 'string' ? `[${name}]\n${resource['text']}` : `[${name}: no text]`;
  }
  if (part.type === 'resource_link') return `[see ${toText(part['uri'])} ${toText(part['name'])}]`;
  return `[${part.type}: left out]`;
}

/** Determines the type from the bytes, not from the server's own statement. */
function readImagePart(part: AnswerPart): ReturnType<typeof toSendableImage> {
  const data = toText(part['data']);
  return toSendableImage({ type: 'image', source: { type: 'base64', media_type: '', data } });
}

const isImage = (part: AnswerPart): boolean => part.type === 'image';
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
