/** Parts of the AI SDK's messages as blocks of the core. */
import type { Block, ImageBlock, TextBlock, ToolResultBlock } from '../../transcript/message.ts';
import { asUnknown, asWiredText, imageOf, inputOf, type Wire } from './shape.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

/** Fields of a part that the core does not know stay on the block. */
export function readPart(given: { type: string }): Block {
  const part = given as Wire;
  switch (part.type) {
    case 'text':
      return { type: 'text', text: String(part['text']), ...optionsOf(part) };
    case 'image':
      return imageOf(textOf(part['mediaType']), part['image']) ?? asUnknown(part);
    case 'file':
      return imageOf(textOf(part['mediaType']), dataOf(part['data'])) ?? asUnknown(part);
    case 'reasoning':
      return readReasoning(part);
    case 'tool-call':
      return part['providerExecuted'] === true ? asUnknown(part) : readCall(part);
    default:
      return asUnknown(part);
  }
}

function optionsOf({ providerOptions }: Wire): { providerOptions?: unknown } {
  return providerOptions === undefined ? {} : { providerOptions };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The bytes of `{type: 'data'}`, or the value itself. */
function dataOf(data: unknown): unknown {
  return isJsonObject(data) && data['type'] === 'data' ? data['data'] : data;
}

/** Reasoning that is signed leaves with a rewrite, as the API asks. Any other goes back as it came, such as OpenAI's, whose items need theirs. */
function readReasoning(part: Wire): Block {
  const options = isJsonObject(part['providerOptions']) ? part['providerOptions']['anthropic'] : undefined;
  const { signature, redactedData }: Record<string, unknown> = isJsonObject(options) ? options : {};
  if (typeof redactedData === 'string') return { type: 'redacted_thinking', data: redactedData, ...optionsOf(part) };
  if (typeof signature !== 'string') return asUnknown(part);
  return { type: 'thinking', thinking: String(part['text']), signature, ...optionsOf(part) };
}

function readCall(part: Wire): Block {
  const { input } = part;
  const call = { type: 'tool_use' as const, id: String(part['toolCallId']), name: String(part['toolName']) };
  return { ...call, input: inputOf(input), ...optionsOf(part), ...(isJsonObject(input) ? {} : { bare: true }) };
}

export function readResult(given: { type: string }): ToolResultBlock {
  const { toolCallId, output } = given as Wire;
  const result = { type: 'tool_result' as const, tool_use_id: String(toolCallId) };
  if (!isJsonObject(output)) return { ...result, content: String(output) };
  const kind = String(output['type']);
  const failed = kind.startsWith('error') || kind === 'execution-denied' ? { is_error: true } : {};
  return { ...result, content: contentOf(kind, output), ...failed };
}

function contentOf(kind: string, output: Record<string, unknown>): string | (TextBlock | ImageBlock)[] {
  const { value, reason } = output;
  if (kind === 'text' || kind === 'error-text') return String(value);
  if (kind === 'content' && Array.isArray(value)) return value.filter(isJsonObject).map(outputPartOf);
  const text = kind === 'execution-denied' ? (textOf(reason) ?? 'denied') : JSON.stringify(value ?? null);
  return [asWiredText(text, { ...output, type: kind })];
}

function outputPartOf(part: Record<string, unknown>): TextBlock | ImageBlock {
  const type = String(part['type']);
  if (type === 'text') return { type, text: String(part['text']) };
  return imageOf(textOf(part['mediaType']), dataOf(part['data'])) ?? asWiredText('', { ...part, type });
}
