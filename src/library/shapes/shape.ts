/** The message shape of a vendor, as `openContext` needs it: what comes in, and what a request looks like. */
import type { ModelRequest } from '../../ports/model.ts';
import {
  NO_USAGE,
  type Message,
  type StopReason,
  type TextBlock,
  type ToolDefinition,
} from '../../transcript/message.ts';
import type { UnknownBlock, Usage } from '../../transcript/message.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

/** What was pushed, as messages of the core; `response` is there for a whole answer of a model. */
export type ReadMessages = { messages: Message[]; response?: ReadResponse };
export type ReadResponse = { model: string; stopReason: StopReason; usage?: Usage | undefined };

/** `Given` may be pushed, `Answer` comes from a call and may be pushed too, `Request` is what is sent. */
export type Shape<Given, Answer, Request> = {
  name: string;
  /** Sends the betas of the Messages API, which the API's own compaction needs. */
  betas?: true;
  /** Names and schemas, to check and to measure them; the tools themselves are sent as they were given. */
  tools: readonly ToolDefinition[];
  read(given: Given | Answer): ReadMessages;
  /** `summary`: the tools are sent, since they are part of the cached prefix, but nothing may run one. */
  write(request: ModelRequest, summary: boolean): Request;
};

/** A part of a message that has no counterpart in the core: it goes back as it came. */
export type Wire = { type: string; [field: string]: unknown };

export function asUnknown(wire: object & { type: string }): UnknownBlock {
  return { type: 'unknown', wire: plain(wire) };
}

/** A tool result can contain only text and images: so this is a text that stores the original part. */
export function asWiredText(text: string, wire: object & { type: string }): TextBlock {
  const shown = text.trim() === '' ? `[${wire.type}]` : text;
  return Object.assign({ type: 'text' as const, text: shown }, { wire: plain(wire) });
}

/** The original part of a block, if it replaces one. */
export function wireOf(block: { type: string }): Wire | undefined {
  const wire = fieldOf(block, 'wire');
  return isJsonObject(wire) && typeof wire['type'] === 'string' ? { ...wire, type: wire['type'] } : undefined;
}

/** A field that the type of the object does not name. */
export function fieldOf(from: object, name: string): unknown {
  return Reflect.get(from, name);
}

/** Data of a tool as the core holds it: an object. What is none, such as JSON that the model broke off, is wrapped. */
export function inputOf(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : { value };
}

/** A copy that JSON can hold: bytes become base64, addresses text. */
function plain(wire: object & { type: string }): Wire {
  const copied: unknown = JSON.parse(JSON.stringify(wire, replaceBytes));
  return { ...(isJsonObject(copied) ? copied : {}), type: wire.type };
}

/** `toJSON` of a Buffer has run already when a replacer sees the value, so the holder is used. */
function replaceBytes(this: unknown, key: string, value: unknown): unknown {
  const original: unknown = isJsonObject(this) ? this[key] : value;
  return base64Of(original) ?? value;
}

export function base64Of(value: unknown): string | undefined {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  return value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : undefined;
}

const IMAGE = /^image\/(?:jpeg|png|gif|webp)$/;

/** An image of the core, where the bytes are there and of a kind that it knows. */
export function imageOf(mediaType: string | undefined, data: unknown) {
  const base64 = typeof data === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? data : base64Of(data);
  if (base64 === undefined || base64 === '' || mediaType === undefined || !IMAGE.test(mediaType)) return undefined;
  return { type: 'image' as const, source: { type: 'base64' as const, media_type: mediaType, data: base64 } };
}

/** Absent when the vendor counted nothing, as in a stream without usage. */
export function usageFrom(counts: {
  input: number | undefined;
  output: number | undefined;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}): Usage | undefined {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = counts;
  if (input === undefined) return undefined;
  return {
    ...NO_USAGE,
    input_tokens: whole(input - cacheRead - cacheWrite),
    cache_read_input_tokens: whole(cacheRead),
    cache_creation_input_tokens: whole(cacheWrite),
    output_tokens: whole(output ?? 0),
  };
}

/** A gateway may count otherwise; a transcript holds whole numbers. */
function whole(count: number): number {
  return Number.isFinite(count) ? Math.max(0, Math.round(count)) : 0;
}
