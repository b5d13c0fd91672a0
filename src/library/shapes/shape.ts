/** The message shape of a vendor: how `openContext` reads its messages and writes its requests. */
import type { ModelRequest } from '../../ports/model.ts';
import { readCallInput } from '../../transcript/call-input.ts';
import { isBase64 } from '../../transcript/encoded-data.ts';
import { createFieldsBlock, NO_USAGE, readFieldsBlock } from '../../transcript/message.ts';
import type { Block, Message, StopReason, TextBlock, ToolDefinition } from '../../transcript/message.ts';
import type { UnknownBlock, Usage } from '../../transcript/message.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

/** Pushed messages in the form of the core; `response` is set for a whole answer of a model. */
export type ReadMessages = { messages: Message[]; response?: ReadResponse };
export type ReadResponse = { model: string; stopReason: StopReason; usage?: Usage | undefined };

/** `Given` may be pushed, `Answer` comes from a call and may be pushed too, and `Request` is sent. */
export type Shape<Given, Answer, Request> = {
  name: string;
  /** True when requests use betas of the Messages API, which the API's own compaction needs. */
  betas?: true;
  /** Names and schemas, used to check and measure the tools, which are sent as they were given. */
  tools: readonly ToolDefinition[];
  read(given: Given | Answer): ReadMessages;
  /** With `summary` the tools are sent, because they belong to the cached prefix, but nothing may run one. */
  write(request: ModelRequest, summary: boolean): Request;
};

/** A part of a pushed message: of the vendor's own types, or written out with any fields. */
export type GivenPart = { type: string } | WirePart;

/** A part of a message that the core does not know; it is sent back unchanged. */
export type WirePart = { type: string; [field: string]: unknown };

/** Reads the parts of a message, whatever was given as its content; null says nothing. */
export function readParts(content: unknown, read: (part: WirePart) => Block): Block[] {
  return listGivenParts(content).map((part) => {
    if (typeof part === 'string') return { type: 'text', text: part };
    return isWirePart(part) ? read(part) : toMalformedText(part);
  });
}

export function listGivenParts(content: unknown): unknown[] {
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  return parts.filter((part) => part !== undefined && part !== null);
}

export function isWirePart(part: unknown): part is WirePart {
  return isJsonObject(part) && typeof part['type'] === 'string';
}

/** Some providers number their calls, and some give them no id: those get one with their place in the conversation. */
export function readCallId(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}

/** A part of a kind that the core does not know. */
export function toUnknownBlock(wire: object & { type: string }): UnknownBlock {
  return { type: 'unknown', wire: toWirePart(wire) };
}

/** A tool result can hold only text and images, so the original part is stored on a text block. */
export function toWiredText(text: string, wire: object & { type: string }): TextBlock {
  const shown = text.trim() === '' ? `[${wire.type}]` : text;
  return Object.assign({ type: 'text' as const, text: shown }, { wire: toWirePart(wire) });
}

/** Returns the original part of a block that replaces one. */
export function getWirePart(block: { type: string }): WirePart | undefined {
  const wire = getField(block, 'wire');
  return isJsonObject(wire) && typeof wire['type'] === 'string' ? { ...wire, type: wire['type'] } : undefined;
}

/** Reads a field that is not part of the object's type. */
export function getField(from: object, name: string): unknown {
  return Reflect.get(from, name);
}

/** Reads the input of a call; dates and large numbers become what JSON has for them. */
export function readToolInput(given: unknown) {
  return readCallInput(isJsonObject(given) ? copyAsJson(given) : given);
}

/**
 * Keeps the fields of a part that the core does not know. They stay on its block, and `getOtherFields` returns them when the
 * block is written. Null says no more than an absent field.
 */
export function keepOtherFields(given: object, known: ReadonlySet<string>): { fields?: Record<string, unknown> } {
  const others = Object.entries(given).filter(([name, value]) => !known.has(name) && value !== null);
  return others.length === 0 ? {} : { fields: copyAsJson(Object.fromEntries(others)) };
}

export function getOtherFields(block: object): Record<string, unknown> {
  const fields = getField(block, 'fields');
  return isJsonObject(fields) ? fields : {};
}

/** The same for the fields of a whole message, as a block of its own. */
export function toFieldsBlocks(given: object, known: ReadonlySet<string>): Block[] {
  const { fields } = keepOtherFields(given, known);
  return fields === undefined ? [] : [createFieldsBlock(fields)];
}

/** Splits the fields of a message from the blocks that it says. */
export function splitMessageFields<One extends Block>(content: readonly One[]) {
  const said = content.filter((block) => readFieldsBlock(block) === undefined);
  return { said, fields: Object.assign({}, ...content.map(readFieldsBlock)) as Record<string, unknown> };
}

/** The line of text that takes the place of a part which no API would take. */
export function toMalformedText(part: unknown): TextBlock {
  return { type: 'text', text: `[A part of the message that cannot be sent as it is: ${JSON.stringify(part)}]` };
}

/** Makes a copy that JSON can hold: bytes become base64, and URLs become text. */
function toWirePart(wire: object & { type: string }): WirePart {
  return { ...copyAsJson(wire), type: wire.type };
}

function copyAsJson(value: object): Record<string, unknown> {
  const copied: unknown = JSON.parse(JSON.stringify(value, replaceBytes));
  return isJsonObject(copied) ? copied : {};
}

/** A replacer gets the value after `toJSON` of a Buffer has run, so the original is read from its holder. */
function replaceBytes(this: unknown, key: string, value: unknown): unknown {
  const original: unknown = isJsonObject(this) ? this[key] : value;
  return toBase64(original) ?? (typeof value === 'bigint' ? String(value) : value);
}

export function toBase64(value: unknown): string | undefined {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  return value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : undefined;
}

const IMAGE = /^image\/(?:jpeg|png|gif|webp)$/;

/** Returns an image block, or undefined when the bytes are missing or of a kind that the core does not know. */
export function toImageBlock(mediaType: string | undefined, data: unknown) {
  const base64 = typeof data === 'string' && isBase64(data) ? data : toBase64(data);
  if (base64 === undefined || base64 === '' || mediaType === undefined || !IMAGE.test(mediaType)) return undefined;
  return { type: 'image' as const, source: { type: 'base64' as const, media_type: mediaType, data: base64 } };
}

/** Gateways may leave out any of these; an answer that says no reason has ended. */
export function toResponse(answer: { model?: unknown; stopReason?: unknown; usage?: Usage | undefined }): ReadResponse {
  const { model, stopReason, usage } = answer;
  return { model: toWord(model) ?? 'unknown', stopReason: toWord(stopReason) ?? 'end_turn', usage };
}

function toWord(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Undefined when the vendor counted nothing, as in a stream without usage. */
export function toUsage(counts: { input: unknown; output: unknown; cacheRead?: unknown; cacheWrite?: unknown }) {
  if (!Number.isFinite(counts.input)) return undefined;
  const [read, write] = [toWholeCount(counts.cacheRead), toWholeCount(counts.cacheWrite)];
  return {
    ...NO_USAGE,
    input_tokens: Math.max(0, toWholeCount(counts.input) - read - write),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
    output_tokens: toWholeCount(counts.output),
  };
}

/** Gateways may send other numbers, or none; a transcript holds whole ones. */
function toWholeCount(count: unknown): number {
  return typeof count === 'number' && Number.isFinite(count) ? Math.max(0, Math.round(count)) : 0;
}
