/** The shape of the Messages API: the input and output of `client.messages.create`. */
import type Anthropic from '@anthropic-ai/sdk';
import { omitUndefined } from '../../omit-undefined.ts';
import type { ModelRequest } from '../../ports/model.ts';
import { Block, type Message, type ToolDefinition } from '../../transcript/message.ts';
import { getWirePart, readToolInput, toMalformedText, toUnknownBlock, toUsage, toWiredText } from './shape.ts';
import type { ReadMessages, Shape, WirePart } from './shape.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

export type MessagesRequest = Anthropic.MessageCreateParamsNonStreaming;
export type MessagesShape = Shape<Anthropic.MessageParam, Anthropic.Message, MessagesRequest>;

export type BetaMessagesRequest = Anthropic.Beta.Messages.MessageCreateParamsNonStreaming;
export type BetaMessagesShape = Shape<
  Anthropic.Beta.Messages.BetaMessageParam,
  Anthropic.Beta.Messages.BetaMessage,
  BetaMessagesRequest
>;

/** Creates the shape for `client.messages.create`. */
export function messagesApi(tools: readonly Anthropic.ToolUnion[] = []): MessagesShape {
  return {
    name: 'messagesApi',
    tools: tools.map(toToolDefinition),
    read: (given) => readMessage(given),
    write: (request) => toRequestParams(request, tools) as MessagesRequest,
  };
}

/** Creates the shape for `client.beta.messages.create`, which policies with betas need, such as `native`. */
export function betaMessagesApi(tools: readonly Anthropic.Beta.Messages.BetaToolUnion[] = []): BetaMessagesShape {
  return {
    name: 'betaMessagesApi',
    betas: true,
    tools: tools.map(toToolDefinition),
    read: (given) => readMessage(given),
    write: (request) => {
      const { betas, compaction } = request;
      return { ...toRequestParams(request, tools), ...omitUndefined({ betas, compaction }) } as BetaMessagesRequest;
    },
  };
}

type IncomingMessage = {
  role: Message['role'];
  content?: string | readonly { type: string }[] | null;
  model?: string;
  stop_reason?: string | null;
  usage?: {
    input_tokens: number;
    output_tokens: number;
    cache_creation_input_tokens?: number | null;
    cache_read_input_tokens?: number | null;
  };
};

function readMessage({ role, content, model, stop_reason: stopReason, usage }: IncomingMessage): ReadMessages {
  const blocks: unknown[] = Array.isArray(content)
    ? content
    : content === undefined || content === null
      ? []
      : [content];
  const messages = [{ role, content: blocks.flatMap(toBlocks) }];
  if (typeof model !== 'string' || typeof stopReason !== 'string') return { messages };
  const read = usage?.cache_read_input_tokens ?? 0;
  const write = usage?.cache_creation_input_tokens ?? 0;
  const counted = toUsage({
    input: usage === undefined ? undefined : usage.input_tokens + read + write,
    ...{ output: usage?.output_tokens, cacheRead: read, cacheWrite: write },
  });
  return { messages, response: { model, stopReason, usage: counted } };
}

/** Removes the caller's cache marks: a request may hold four at most, and the context sets its own. */
function toBlocks(given: unknown): Block[] {
  if (typeof given === 'string') return [{ type: 'text', text: given }];
  if (given === null || given === undefined) return [];
  if (!isJsonObject(given) || typeof given['type'] !== 'string') return [toMalformedText(given)];
  const { cache_control: _mark, ...block } = { ...given, type: given['type'] } as WirePart;
  if (block.type === 'unknown') return [toUnknownBlock(block)];
  const known = Block.safeParse(mendBlock(block));
  if (known.success) return [known.data];
  // A part of a kind that the core knows, and that has not the fields of that kind, would be refused in every request.
  return [MENDED.has(block.type) ? toMalformedText(block) : toUnknownBlock(block)];
}

const MENDED = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result']);

/** Gives a part what each of its kind must have. Thinking that nobody signed is never sent, so it needs no more. */
function mendBlock(block: WirePart): WirePart {
  const text = (name: string): string => (typeof block[name] === 'string' ? block[name] : '');
  switch (block.type) {
    case 'text':
      return block['text'] === null || block['text'] === undefined ? { ...block, text: '' } : block;
    case 'thinking':
      return isSignedElsewhere(block)
        ? { type: 'unknown', wire: block }
        : { ...block, thinking: text('thinking'), signature: text('signature') };
    case 'redacted_thinking':
      return { ...block, data: text('data') };
    case 'tool_use':
      return { ...block, id: toId(block['id']), name: text('name'), ...readToolInput(block['input']) };
    case 'tool_result':
      return toToolResult(block);
    default:
      return block;
  }
}

/** Endpoints that speak this API may sign thinking in a field of their own. */
function isSignedElsewhere({ type: _type, thinking: _thinking, signature, ...others }: WirePart): boolean {
  return typeof signature !== 'string' && Object.values(others).some((value) => value !== null);
}

function toId(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}

function toToolResult({ content, is_error: failed, ...block }: WirePart): WirePart {
  const parts: unknown[] = Array.isArray(content)
    ? content
    : content === undefined || content === null
      ? []
      : [content];
  return {
    ...block,
    tool_use_id: toId(block['tool_use_id']),
    ...(typeof content === 'string' ? { content } : parts.length === 0 ? {} : { content: parts.map(toResultPart) }),
    ...(failed === true ? { is_error: true } : {}),
  };
}

function toResultPart(given: unknown): Block {
  if (typeof given === 'string') return { type: 'text', text: given };
  if (!isJsonObject(given) || typeof given['type'] !== 'string') return toMalformedText(given);
  const { cache_control: _mark, ...part } = given;
  const known = Block.safeParse(part);
  if (known.success && (known.data.type === 'text' || known.data.type === 'image')) return known.data;
  return given['type'] === 'text' ? toMalformedText(part) : toWiredText('', { ...part, type: given['type'] });
}

/** A tool of the server has no schema here, but its name is checked too. */
function toToolDefinition(tool: {
  name?: string;
  type?: string | null;
  description?: string;
  input_schema?: object;
}): ToolDefinition {
  const { name, type, description = '', input_schema: schema } = tool;
  return { name: name ?? String(type), description, input_schema: { ...schema, type: 'object' } };
}

function toRequestParams(request: ModelRequest, tools: readonly object[]): object {
  const { model, max_tokens, system, messages, thinking } = request;
  const mark = { cache_control: { type: 'ephemeral' } };
  return {
    model,
    max_tokens,
    messages: messages.map(({ role, content }) => ({ role, content: content.map(toSentBlock) })),
    ...(system.length === 0 ? {} : { system }),
    // A request for a summary in parts has no tools.
    ...(request.tools.length === 0
      ? {}
      : { tools: tools.map((tool, place) => (place === tools.length - 1 ? { ...tool, ...mark } : tool)) }),
    ...omitUndefined({ thinking }),
  };
}

/** A mark on a block that is passed on unchanged is lost, which costs at most one cached prefix. */
function toSentBlock(block: ModelRequest['messages'][number]['content'][number]): object {
  if (block.type === 'unknown') return block.wire;
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return block;
  return { ...block, content: block.content.map((part) => getWirePart(part) ?? part) };
}
