/** Converts parts of the AI SDK's messages into blocks of the core. */
import type { Block, ImageBlock, TextBlock, ToolResultBlock } from '../../transcript/message.ts';
import { keepOtherFields, readCallId, readToolInput, toImageBlock, toMalformedText } from './shape.ts';
import { toUnknownBlock, toWiredText, type WirePart } from './shape.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

const KNOWN = {
  text: new Set(['type', 'text']),
  image: new Set(['type', 'image', 'data', 'mediaType']),
  call: new Set(['type', 'toolCallId', 'toolName', 'input', 'args']),
  result: new Set(['type', 'toolCallId', 'toolName', 'output', 'result']),
};

/** Fields that the core does not know stay on the block. */
export function readPart(part: WirePart): Block {
  switch (part.type) {
    case 'text':
      return typeof part['text'] === 'string'
        ? { type: 'text', text: part['text'], ...keepOtherFields(part, KNOWN.text) }
        : toMalformedText(part);
    case 'image':
      return readImage(part, part['image']);
    case 'file':
      return readImage(part, unwrapData(part['data']));
    case 'reasoning':
      return readReasoning(part);
    case 'tool-call':
      return part['providerExecuted'] === true ? toUnknownBlock(part) : readCall(part);
    default:
      return toUnknownBlock(part);
  }
}

function readImage(part: WirePart, data: unknown): Block {
  const image = toImageBlock(asString(part['mediaType']), data);
  return image === undefined ? toUnknownBlock(part) : { ...image, ...keepOtherFields(part, KNOWN.image) };
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the bytes of `{type: 'data'}`, or the value itself. */
function unwrapData(data: unknown): unknown {
  return isJsonObject(data) && data['type'] === 'data' ? data['data'] : data;
}

/** A rewrite may drop signed reasoning, as the API asks; any other, such as OpenAI's, is sent back unchanged. */
function readReasoning(part: WirePart): Block {
  const options = isJsonObject(part['providerOptions']) ? part['providerOptions']['anthropic'] : undefined;
  const { signature, redactedData }: Record<string, unknown> = isJsonObject(options) ? options : {};
  const fields = keepOtherFields(part, KNOWN.text);
  if (typeof redactedData === 'string') return { type: 'redacted_thinking', data: redactedData, ...fields };
  if (typeof signature !== 'string') return toUnknownBlock(part);
  return { type: 'thinking', thinking: asString(part['text']) ?? '', signature, ...fields };
}

/** Conversations of the fourth version of the SDK name the input `args`, and the output `result`. */
function readCall(part: WirePart): Block {
  const call = { type: 'tool_use' as const, id: readCallId(part['toolCallId']), name: String(part['toolName']) };
  return { ...call, ...readToolInput(part['input'] ?? part['args']), ...keepOtherFields(part, KNOWN.call) };
}

export function readResult(given: WirePart): ToolResultBlock {
  const { toolCallId, output = given['result'] } = given;
  const fields = keepOtherFields(given, KNOWN.result);
  const result = { type: 'tool_result' as const, tool_use_id: readCallId(toolCallId), ...fields };
  const kind = isJsonObject(output) ? output['type'] : undefined;
  if (!isJsonObject(output) || typeof kind !== 'string')
    return { ...result, content: typeof output === 'string' ? output : JSON.stringify(output ?? null) };
  const failed = kind.startsWith('error') || kind === 'execution-denied' ? { is_error: true } : {};
  return { ...result, content: readOutput(kind, output), ...failed };
}

function readOutput(kind: string, output: Record<string, unknown>): string | (TextBlock | ImageBlock)[] {
  const { value, reason } = output;
  if (kind === 'text' || kind === 'error-text') return String(value);
  if (kind === 'content' && Array.isArray(value)) return value.filter(isJsonObject).map(readOutputPart);
  const text = kind === 'execution-denied' ? (asString(reason) ?? 'denied') : JSON.stringify(value ?? null);
  return [toWiredText(text, { ...output, type: kind })];
}

function readOutputPart(part: Record<string, unknown>): TextBlock | ImageBlock {
  const type = String(part['type']);
  if (type === 'text') return { type, text: String(part['text']) };
  return toImageBlock(asString(part['mediaType']), unwrapData(part['data'])) ?? toWiredText('', { ...part, type });
}
