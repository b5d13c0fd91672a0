/** Converts blocks of other harnesses to the API's form, with only the fields that it knows and accepts. */
import { isJsonObject, type JsonObject } from '../../scenario/json/json-value.ts';
import { readCallInput } from '../../transcript/call-input.ts';
import type { Block, ImageBlock, TextBlock, Usage } from '../../transcript/message.ts';

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
  if (typeof raw === 'string') return { blocks: textBlocks(raw), unknown: [] };
  if (!isJsonObject(raw) || typeof raw['type'] !== 'string') return { blocks: [], unknown: ['a block without a type'] };
  const blocks = toKnownBlocks(raw, raw['type']);
  return blocks === undefined ? { blocks: [], unknown: [raw['type']] } : { blocks, unknown: [] };
}

/** Returns undefined for a part that cannot be shown to a model. */
function toKnownBlocks(part: JsonObject, type: string): Block[] | undefined {
  if (type === 'text' || type === 'input_text' || type === 'output_text' || type === 'refusal') {
    const text = part['text'] ?? part['refusal'];
    return typeof text === 'string' ? textBlocks(text) : undefined;
  }
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

function textBlocks(text: string): TextBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** Thinking without its signature cannot be sent to any model, so it is left out and listed. */
function toThinking(part: JsonObject): Block[] | undefined {
  const signature = part['signature'];
  const thinking = part['thinking'];
  if (typeof signature !== 'string' || signature === '' || typeof thinking !== 'string') return undefined;
  return [{ type: 'thinking', thinking, signature }];
}

export function toCallBlocks(id: unknown, name: unknown, input: unknown): Block[] | undefined {
  const read = readCallInput(input);
  if (typeof id !== 'string' || typeof name !== 'string' || measureDepth(read.input) > DEEPEST) return undefined;
  return [{ type: 'tool_use', id, name: toolName(name), ...read }];
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
function toImageBlock({ source, image_url: given }: JsonObject): ImageBlock | TextBlock {
  const url = isJsonObject(given) ? given['url'] : given;
  const address = typeof url === 'string' ? url : '';
  const [, type, bytes] = /^data:([\w/+.-]+);base64,(.+)$/s.exec(address) ?? [];
  const { media_type, data } = isJsonObject(source) ? source : { media_type: type, data: bytes };
  if (typeof media_type !== 'string' || typeof data !== 'string' || data === '')
    return { type: 'text', text: `(image: ${address.slice(0, 200) || 'not recorded'})` };
  if (!MEDIA_TYPES.has(media_type)) return { type: 'text', text: `(image of type ${media_type})` };
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

function measureDepth(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return depth;
  return Object.values(value).reduce(
    (deepest: number, part) => Math.max(deepest, measureDepth(part, depth + 1)),
    depth,
  );
}

/** Converts usage in the spelling of the API or of OpenAI; undefined when it counts nothing. */
export function readUsage(raw: unknown): Usage | undefined {
  const count = (...names: string[]): number =>
    names.map((name) => Number(isJsonObject(raw) && raw[name])).find((one) => Number.isInteger(one) && one > 0) ?? 0;
  const counts = {
    input_tokens: count('input_tokens', 'prompt_tokens'),
    output_tokens: count('output_tokens', 'completion_tokens'),
    cache_read_input_tokens: count('cache_read_input_tokens'),
    cache_creation_input_tokens: count('cache_creation_input_tokens'),
  };
  return Object.values(counts).some((count) => count > 0) ? counts : undefined;
}
