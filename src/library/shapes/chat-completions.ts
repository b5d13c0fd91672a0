/** The shape of Chat Completions: input and output of `client.chat.completions.create` of OpenAI and many others. */
import { HarnessError, usageError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import type { OutgoingMessage } from '../../ports/model.ts';
import type {
  Block,
  ImageBlock,
  Message,
  TextBlock,
  ToolDefinition,
  ToolResultBlock,
  ToolUseBlock,
} from '../../transcript/message.ts';
import { getResultText } from '../../transcript/transcript-lines.ts';
import type { ChatAnswer, ChatGiven, ChatMessage, ChatPart, ChatRequest } from './chat-types.ts';
import type { ChatTextPart, ChatTool, ChatToolCall } from './chat-types.ts';
import {
  toUnknownBlock,
  toWiredText,
  getField,
  getWirePart,
  toImageBlock,
  toToolInput,
  toUsage,
  type ReadMessages,
  type Shape,
} from './shape.ts';
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
      messages: [...toSystemMessages(system), ...writeMessages(messages)],
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
  const [choice] = choices;
  if (choice === undefined)
    throw new HarnessError('model_unavailable', 'The answer has no choice.', { retryable: true });
  const counted = toUsage({
    input: usage?.prompt_tokens,
    output: usage?.completion_tokens,
    cacheRead: usage?.prompt_tokens_details?.cached_tokens,
  });
  const stopReason = STOPS[choice.finish_reason] ?? choice.finish_reason;
  return { messages: [readMessage(choice.message)], response: { model, stopReason, usage: counted } };
}

function readMessage(given: ChatGiven): Message {
  if (given.role === 'tool')
    return {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: given.tool_call_id ?? '', content: toBlocks(given).map(toResultPart) },
      ],
    };
  if (given.role === 'function')
    throw usageError('Messages of role "function" are deprecated: push one of role "tool".');
  if (given.role === 'assistant') return { role: 'assistant', content: [...toBlocks(given), ...readToolCalls(given)] };
  const content = toBlocks(given);
  const [first] = content;
  const named = given.name === undefined || first?.type !== 'text' ? first : { ...first, name: given.name };
  return {
    role: given.role === 'user' ? 'user' : 'system',
    content: named === undefined ? [] : [named, ...content.slice(1)],
  };
}

function toResultPart(block: Block): TextBlock | ImageBlock {
  if (block.type === 'text' || block.type === 'image') return block;
  return block.type === 'unknown' ? toWiredText('', block.wire) : { type: 'text', text: `[${block.type}]` };
}

function isText(block: Block): block is TextBlock {
  return block.type === 'text';
}

function toBlocks({ content, refusal }: ChatGiven): Block[] {
  const said = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []).map(toBlock);
  return typeof refusal === 'string' ? [...said, { type: 'text', text: refusal }] : said;
}

function toBlock(part: { type: string }): Block {
  const [text, refusal, image] = ['text', 'refusal', 'image_url'].map((name) => getField(part, name));
  if (part.type === 'text' && typeof text === 'string') return { type: 'text', text };
  if (part.type === 'refusal' && typeof refusal === 'string') return { type: 'text', text: refusal };
  const url = isJsonObject(image) && image['detail'] === undefined ? image['url'] : undefined;
  const [, mediaType, data] = /^data:([\w/.+-]+);base64,(.*)$/s.exec(typeof url === 'string' ? url : '') ?? [];
  return toImageBlock(mediaType, data) ?? toUnknownBlock(part);
}

/** Keeps the text of the arguments, so that a call is sent back exactly, whatever JSON the model wrote. */
function readToolCalls({ tool_calls: calls = [] }: ChatGiven): ToolUseBlock[] {
  return calls.map((call): ToolUseBlock & { arguments: string; custom?: true } =>
    call.type === 'custom'
      ? {
          ...createToolUse(call.id, call.custom.name, { input: call.custom.input }),
          arguments: call.custom.input,
          custom: true,
        }
      : {
          ...createToolUse(
            call.id,
            call.function.name,
            toToolInput(parseJson(call.function.arguments) ?? call.function.arguments),
          ),
          arguments: call.function.arguments,
        },
  );
}

function createToolUse(id: string, name: string, input: Record<string, unknown>): ToolUseBlock {
  return { type: 'tool_use', id, name, input };
}

/** A message of role "tool" holds text alone: what tools show follows all results in a message of the user. */
function writeMessages(messages: readonly OutgoingMessage[]): ChatMessage[] {
  const written: ChatMessage[] = [];
  let shown: Block[] = [];
  const writeSaid = (content: readonly Block[]): void => {
    const said = [...shown, ...content];
    if (said.length > 0) written.push(writeUser(said));
    shown = [];
  };
  for (const { role, content } of messages) {
    const results = content.filter((block) => block.type === 'tool_result');
    const said = content.filter(({ type }) => type !== 'tool_result');
    if (role === 'assistant' || results.length === 0) writeSaid(role === 'assistant' ? [] : said);
    if (role === 'assistant') written.push(writeAnswer(content));
    if (results.length === 0) continue;
    written.push(...results.map(writeResult));
    shown.push(...results.flatMap(listShownParts));
    if (said.length > 0) writeSaid(said);
  }
  writeSaid([]);
  return written;
}

function writeResult(block: ToolResultBlock): ChatMessage {
  return { role: 'tool', tool_call_id: block.tool_use_id, content: getResultText(block) || describeShown(block) };
}

function describeShown(block: ToolResultBlock): string {
  return listShownParts(block).length > 0 ? '(shown in the next message)' : '';
}

function listShownParts({ content }: ToolResultBlock): Block[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part): Block[] => {
    const wire = getWirePart(part);
    if (wire !== undefined) return [toUnknownBlock(wire)];
    return part.type === 'image' ? [part] : [];
  });
}

function writeUser(content: readonly Block[]): ChatMessage {
  const [only, ...more] = content;
  const name = getField(only ?? {}, 'name');
  return {
    role: 'user',
    content: only?.type === 'text' && more.length === 0 ? only.text : content.flatMap(writePart),
    ...(typeof name === 'string' ? { name } : {}),
  };
}

function writePart(block: Block): ChatPart[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  if (block.type === 'image' && block.source.type === 'base64')
    return [{ type: 'image_url', image_url: { url: `data:${block.source.media_type};base64,${block.source.data}` } }];
  // Unknown blocks came in as parts of this same shape.
  return block.type === 'unknown' ? [block.wire as unknown as ChatPart] : [];
}

function writeAnswer(content: readonly Block[]): ChatMessage {
  const texts = content.filter(isText).map(({ text }): ChatTextPart => ({ type: 'text', text }));
  const calls = content.flatMap((block) => (block.type === 'tool_use' ? [writeCall(block)] : []));
  const [only, ...more] = texts;
  return {
    role: 'assistant',
    content: only === undefined ? null : more.length === 0 ? only.text : texts,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function writeCall(call: ToolUseBlock): ChatToolCall {
  const { id, name, input } = call;
  const written = getField(call, 'arguments');
  if (getField(call, 'custom') === true)
    return { id, type: 'custom', custom: { name, input: formatCustomInput(input) } };
  // A policy may have shortened the input since.
  const same =
    typeof written === 'string' && JSON.stringify(toToolInput(parseJson(written) ?? written)) === JSON.stringify(input);
  return { id, type: 'function', function: { name, arguments: same ? written : JSON.stringify(input) } };
}

/** Formats a shortened input as JSON. */
function formatCustomInput(input: Record<string, unknown>): string {
  return typeof input['input'] === 'string' ? input['input'] : JSON.stringify(input);
}

function toToolDefinition(tool: ChatTool): ToolDefinition {
  const { name, description = '' } = tool.type === 'function' ? tool.function : tool.custom;
  const parameters = tool.type === 'function' ? tool.function.parameters : undefined;
  return { name, description, input_schema: { ...parameters, type: 'object' } };
}
