/** The shape of Chat Completions: input and output of `client.chat.completions.create` of OpenAI and many others. */
import { HarnessError, usageError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import type { OutgoingMessage } from '../../ports/model.ts';
import type { Block, Message, ToolDefinition, ToolResultBlock, ToolUseBlock } from '../../transcript/message.ts';
import { getResultText } from '../../transcript/transcript-lines.ts';
import type { ChatAnswer, ChatGiven, ChatMessage, ChatPart, ChatRequest } from './chat-types.ts';
import type { ChatTextPart, ChatTool, ChatToolCall } from './chat-types.ts';
import { getField, getOtherFields, getWirePart, keepOtherFields, listGivenParts, readCallId } from './shape.ts';
import { readParts, readToolInput, splitMessageFields, toFieldsBlocks, toImageBlock } from './shape.ts';
import { toMalformedText, toResponse, toUnknownBlock, toUsage, toWiredText } from './shape.ts';
import type { ReadMessages, Shape, WirePart } from './shape.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

export type ChatShape = Shape<ChatGiven, ChatAnswer, ChatRequest>;

/** Sets no cache marks: this API caches the beginning of a request by itself, and the view keeps it stable. */
export function chatCompletions(tools: readonly ChatTool[] = []): ChatShape {
  return {
    name: 'chatCompletions',
    tools: tools.map(toToolDefinition),
    read: (given) => ('choices' in given ? readAnswer(given) : { messages: [readMessage(given)] }),
    write: ({ model, max_tokens, system, messages, tools: shown }) => ({
      model,
      messages: [...toSystemMessages(system), ...messages.flatMap(writeMessage)],
      max_completion_tokens: max_tokens,
      ...(shown.length === 0 ? {} : { tools: [...tools] }),
    }),
  };
}

function toSystemMessages(system: readonly { text: string }[]): ChatMessage[] {
  return system.length === 0 ? [] : [{ role: 'system', content: system.map(({ text }) => text).join('\n\n') }];
}

const STOPS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

function readAnswer({ model, choices, usage }: ChatAnswer): ReadMessages {
  const choice = choices?.[0];
  if (choice?.message === undefined)
    throw new HarnessError('model_unavailable', 'The answer has no choice.', { retryable: true });
  const counted = toUsage({
    input: usage?.prompt_tokens,
    output: usage?.completion_tokens,
    cacheRead: usage?.prompt_tokens_details?.cached_tokens,
  });
  const stopReason = STOPS[choice.finish_reason ?? ''] ?? choice.finish_reason;
  const message = readMessage({ ...choice.message, role: 'assistant' });
  return { messages: [message], response: toResponse({ model, stopReason, usage: counted }) };
}

const KNOWN = {
  /** `parsed` is made by the client of the vendor, not by the endpoint. A sound is gone after an hour, its words stay. */
  assistant: new Set(['role', 'content', 'refusal', 'tool_calls', 'parsed', 'audio']),
  other: new Set(['role', 'content']),
  tool: new Set(['role', 'content', 'tool_call_id']),
  call: new Set(['id', 'type', 'function', 'custom']),
  function: new Set(['name', 'arguments', 'parsed_arguments']),
  text: new Set(['type', 'text']),
};

/** A message item of the Responses API has the parts of a message, and a name, a type and a state of its own. */
function readMessage(pushed: ChatGiven): Message {
  const item = getField(pushed, 'type');
  const given = item === 'message' ? ({ role: pushed.role, content: pushed.content } as ChatGiven) : pushed;
  const { role } = given;
  if (role === undefined && typeof item === 'string')
    throw usageError(`Chat Completions has no items of type ${JSON.stringify(item)}: push messages with a role.`);
  if (role === 'function') throw usageError('Messages of role "function" are deprecated: push one of role "tool".');
  if (!ROLES.has(role)) throw usageError(`No message of Chat Completions has the role ${JSON.stringify(role)}.`);
  if (role === 'tool') {
    const content = toBlocks(given).map((block) => (block.type === 'unknown' ? toWiredText('', block.wire) : block));
    const result = {
      type: 'tool_result' as const,
      tool_use_id: readCallId(given.tool_call_id),
      content: content.filter((part) => part.type === 'text' || part.type === 'image'),
    };
    return { role: 'user', content: [{ ...result, ...keepOtherFields(given, KNOWN.tool) }] };
  }
  if (role === 'assistant')
    return { role, content: [...toBlocks(given), ...readToolCalls(given), ...toFieldsBlocks(given, KNOWN.assistant)] };
  const fields = role === 'user' ? toFieldsBlocks(given, KNOWN.other) : [];
  return { role: role === 'user' ? role : 'system', content: [...toBlocks(given), ...fields] };
}

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

function toBlocks(given: ChatGiven): Block[] {
  const audio = getField(given, 'audio');
  return readParts(
    [given.content, given.refusal, isJsonObject(audio) ? audio['transcript'] : undefined].flat(),
    toBlock,
  );
}

const RESPONSES_TEXTS: ReadonlySet<string> = new Set(['input_text', 'output_text']);

function toBlock(part: WirePart): Block {
  const [text, refusal, image] = ['text', 'refusal', 'image_url'].map((name) => getField(part, name));
  if (part.type === 'text')
    return typeof text === 'string'
      ? { type: 'text', text, ...keepOtherFields(part, KNOWN.text) }
      : toMalformedText(part);
  if (RESPONSES_TEXTS.has(part.type) && typeof text === 'string') return { type: 'text', text };
  if (part.type === 'refusal' && typeof refusal === 'string') return { type: 'text', text: refusal };
  const url = isJsonObject(image) && image['detail'] === undefined ? image['url'] : undefined;
  const [, mediaType, data] = /^data:([\w/.+-]+);base64,(.*)$/s.exec(typeof url === 'string' ? url : '') ?? [];
  return toImageBlock(mediaType, data) ?? toUnknownBlock(part);
}

/** Keeps the text of the arguments, so that a call is sent back exactly, whatever spelling the model chose. */
function readToolCalls({ tool_calls: calls }: ChatGiven): Block[] {
  return listGivenParts(calls).map((call) => (isJsonObject(call) ? readToolCall(call) : toMalformedText(call)));
}

function readToolCall(call: Record<string, unknown>): Block {
  const isCustom = call['type'] === 'custom';
  const { name, ...given } = toObject(isCustom ? call['custom'] : (call['function'] ?? {}));
  if (name === undefined && call['id'] === undefined) return toMalformedText(call);
  const base = { type: 'tool_use' as const, id: readCallId(call['id']), name: typeof name === 'string' ? name : '' };
  const fields = keepOtherFields(call, KNOWN.call);
  const { input, arguments: text } = given;
  if (isCustom) return { ...base, input: { input }, ...{ arguments: input, custom: true }, ...fields };
  const inner = keepOtherFields(given, KNOWN.function).fields;
  const kept = { arguments: text, ...fields, ...(inner === undefined ? {} : { functionFields: inner }) };
  return { ...base, ...readToolInput(text), ...kept };
}

function toObject(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {};
}

function writeMessage({ role, content }: OutgoingMessage): ChatMessage[] {
  if (role === 'assistant') return [writeAnswer(content)];
  const results = content.flatMap((block): ChatMessage[] =>
    block.type === 'tool_result'
      ? [{ ...getOtherFields(block), role: 'tool', tool_call_id: block.tool_use_id, content: writeResult(block) }]
      : [],
  );
  const said = content.filter(({ type }) => type !== 'tool_result');
  return said.length === 0 ? results : [...results, writeUser(said)];
}

function isPlainText(part: Block): boolean {
  return part.type === 'text' && getWirePart(part) === undefined && getField(part, 'fields') === undefined;
}

/** Parts of a result that were no text are parts again, unless a pass has shortened the result. */
function writeResult(block: ToolResultBlock): string | ChatTextPart[] {
  const { content } = block;
  if (!Array.isArray(content) || content.every(isPlainText)) return getResultText(block);
  return content.flatMap((part) => (getWirePart(part) ?? writePart(part)) as ChatTextPart);
}

function writeUser(content: readonly Block[]): ChatMessage {
  const { said, fields } = splitMessageFields(content);
  // Contexts that an earlier version saved have the name on the first text.
  const name = getField(said[0] ?? {}, 'name');
  const named = typeof name === 'string' ? { name } : {};
  return { role: 'user', content: writeContent(said), ...named, ...fields };
}

/** One plain text is a string, as most servers want it. */
function writeContent(said: readonly Block[]): string | ChatPart[] {
  const [only, ...more] = said;
  if (only?.type === 'text' && more.length === 0 && getField(only, 'fields') === undefined) return only.text;
  return said.flatMap(writePart);
}

function writePart(block: Block): ChatPart[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text, ...getOtherFields(block) }];
  if (block.type === 'image' && block.source.type === 'base64')
    return [{ type: 'image_url', image_url: { url: `data:${block.source.media_type};base64,${block.source.data}` } }];
  // Unknown blocks came in as parts of this same shape.
  return block.type === 'unknown' ? [block.wire as unknown as ChatPart] : [];
}

/** Parts that only their vendor knows, such as its thinking, go back among the texts. */
function writeAnswer(content: readonly Block[]): ChatMessage {
  const { said, fields } = splitMessageFields(content);
  const parts = said.filter(({ type }) => type === 'text' || type === 'unknown');
  const calls = said.flatMap((block) => (block.type === 'tool_use' ? [writeCall(block)] : []));
  return {
    ...fields,
    role: 'assistant',
    content: parts.length === 0 ? null : (writeContent(parts) as string | ChatTextPart[]),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function writeCall(call: ToolUseBlock): ChatToolCall {
  const { id, name, input } = call;
  const [written, inner] = [getField(call, 'arguments'), getField(call, 'functionFields')];
  // A shortened input is written as JSON.
  const given = typeof input['input'] === 'string' ? input['input'] : JSON.stringify(input);
  if (getField(call, 'custom') === true)
    return { ...getOtherFields(call), id, type: 'custom', custom: { name, input: given } };
  // A policy may have shortened the input since, and only an object may be sent.
  const value = typeof written === 'string' ? parseJson(written) : undefined;
  const same = isJsonObject(value) && JSON.stringify(value) === JSON.stringify(input);
  const text = same && typeof written === 'string' ? written : JSON.stringify(input);
  const more = isJsonObject(inner) ? inner : {};
  return { ...getOtherFields(call), id, type: 'function', function: { ...more, name, arguments: text } };
}

function toToolDefinition(tool: ChatTool): ToolDefinition {
  const { name, description = '' } = tool.type === 'function' ? tool.function : tool.custom;
  const parameters = tool.type === 'function' ? tool.function.parameters : undefined;
  return { name, description, input_schema: { ...parameters, type: 'object' } };
}
