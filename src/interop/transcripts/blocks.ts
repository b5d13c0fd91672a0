/** Converts blocks of other harnesses to the API's form, with only the fields that it knows and accepts. */
import { z } from 'zod';
import type { Block, ImageBlock, TextBlock, Usage } from '../../transcript/message.ts';

const Part = z.looseObject({ type: z.string() });
const Call = z.object({ id: z.string(), name: z.string(), input: z.record(z.string(), z.unknown()) });
const MEDIA_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
/** The deepest accepted input: no tool has a deeper one, and it would exhaust the stack. */
const DEEPEST = 64;

export type ContentBlocks = { blocks: Block[]; unknown: string[] };

/** Reads the `content` of a message: a text, or a list of blocks; unknown kinds of blocks are listed. */
export function readContent(content: unknown): ContentBlocks {
  if (typeof content === 'string') return { blocks: textBlocks(content), unknown: [] };
  if (!Array.isArray(content))
    return { blocks: [], unknown: content === null || content === undefined ? [] : ['content'] };
  const read = content.map((part) => readPart(part));
  return { blocks: read.flatMap(({ blocks }) => blocks), unknown: read.flatMap(({ unknown }) => unknown) };
}

function readPart(raw: unknown): ContentBlocks {
  const part = Part.safeParse(typeof raw === 'string' ? { type: 'text', text: raw } : raw);
  if (!part.success) return { blocks: [], unknown: ['a block without a type'] };
  const blocks = toKnownBlocks(part.data);
  return blocks === undefined ? { blocks: [], unknown: [part.data.type] } : { blocks, unknown: [] };
}

/** Returns undefined for a part that cannot be shown to a model. */
function toKnownBlocks(part: z.infer<typeof Part>): Block[] | undefined {
  const { type } = part;
  if (type === 'text' || type === 'input_text' || type === 'output_text' || type === 'refusal')
    return toTextBlocks(part['text'] ?? part['refusal']);
  if (type === 'thinking') return toThinking(part);
  if (type === 'redacted_thinking')
    return typeof part['data'] === 'string' ? [{ type, data: part['data'] }] : undefined;
  if (type === 'tool_use') return toCallBlocks(part['id'], part['name'], part['input']);
  if (type === 'tool_result') {
    const id = part['tool_use_id'];
    return typeof id === 'string' ? [toResultBlock(id, part['content'], part['is_error'] === true)] : undefined;
  }
  if (type === 'image' || type === 'image_url') return [toImageBlock(part)];
  return undefined;
}

function toTextBlocks(text: unknown): Block[] | undefined {
  return typeof text === 'string' ? textBlocks(text) : undefined;
}

function textBlocks(text: string): TextBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** Thinking without its signature cannot be sent to any model, so it is left out and listed. */
function toThinking(part: Record<string, unknown>): Block[] | undefined {
  const signature = part['signature'];
  const thinking = part['thinking'];
  if (typeof signature !== 'string' || signature === '' || typeof thinking !== 'string') return undefined;
  return [{ type: 'thinking', thinking, signature }];
}

export function toCallBlocks(id: unknown, name: unknown, input: unknown): Block[] | undefined {
  const call = Call.safeParse({ id, name, input: input ?? {} });
  if (!call.success || measureDepth(call.data.input) > DEEPEST) return undefined;
  return [{ type: 'tool_use', ...call.data, name: toolName(call.data.name) }];
}

export function toResultBlock(id: string, content: unknown, isError: boolean): Block {
  const inside = readContent(content).blocks.filter((block) => block.type === 'text' || block.type === 'image');
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...(inside.length === 0 ? {} : { content: inside }),
    ...(isError ? { is_error: true } : {}),
  };
}

/** The API accepts letters, digits, `_` and `-`, at most 64 of them. */
function toolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

/** An image at another address is named in a text, not fetched. */
function toImageBlock(part: Record<string, unknown>): ImageBlock | TextBlock {
  const source = z.looseObject({ data: z.string().min(1), media_type: z.string() }).safeParse(part['source']);
  if (source.success) return createImage(source.data.media_type, source.data.data);
  const url = z.union([z.string(), z.object({ url: z.string() })]).safeParse(part['image_url']);
  const address = url.success ? (typeof url.data === 'string' ? url.data : url.data.url) : '';
  const [, mediaType, data] = /^data:([\w/+.-]+);base64,(.+)$/s.exec(address) ?? [];
  return mediaType !== undefined && data !== undefined
    ? createImage(mediaType, data)
    : { type: 'text', text: `(image: ${address.slice(0, 200) || 'not recorded'})` };
}

function createImage(mediaType: string, data: string): ImageBlock | TextBlock {
  if (!MEDIA_TYPES.has(mediaType) || data === '') return { type: 'text', text: `(image of type ${mediaType})` };
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

function measureDepth(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return depth;
  return Object.values(value).reduce(
    (deepest: number, part) => Math.max(deepest, measureDepth(part, depth + 1)),
    depth,
  );
}

const Tokens = z.number().int().nonnegative().catch(0);
const RawUsage = z.looseObject({
  input_tokens: Tokens,
  output_tokens: Tokens,
  cache_read_input_tokens: Tokens,
  cache_creation_input_tokens: Tokens,
  prompt_tokens: Tokens,
  completion_tokens: Tokens,
});

/** Converts usage in the spelling of the API or of OpenAI; undefined when it counts nothing. */
export function readUsage(raw: unknown): Usage | undefined {
  const read = RawUsage.safeParse(raw);
  if (!read.success) return undefined;
  const { data } = read;
  const counts = {
    input_tokens: data.input_tokens || data.prompt_tokens,
    output_tokens: data.output_tokens || data.completion_tokens,
    cache_read_input_tokens: data.cache_read_input_tokens,
    cache_creation_input_tokens: data.cache_creation_input_tokens,
  };
  return Object.values(counts).some((count) => count > 0) ? counts : undefined;
}
