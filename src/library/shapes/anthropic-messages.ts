/** The shape of the Messages API: the input and output of `client.messages.create`. */
import type Anthropic from '@anthropic-ai/sdk';
import { omitUndefined } from '../../omit-undefined.ts';
import type { ModelRequest } from '../../ports/model.ts';
import { Block, type Message, type ToolDefinition, type ToolResultBlock } from '../../transcript/message.ts';
import {
  toUnknownBlock,
  toWiredText,
  toUsage,
  getWirePart,
  type ReadMessages,
  type Shape,
  type WirePart,
} from './shape.ts';
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
  const blocks =
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []).map(toBlock);
  const messages = [{ role, content: blocks }];
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
function toBlock(given: { type: string }): Block {
  const { cache_control: _mark, ...block } = given as WirePart;
  if (block.type === 'tool_result') return toToolResult(block);
  const known = block.type === 'unknown' ? undefined : Block.safeParse(block);
  return known?.success === true ? known.data : toUnknownBlock({ ...block, type: given.type });
}

function toToolResult(block: Record<string, unknown>): ToolResultBlock {
  const { content } = block;
  return {
    type: 'tool_result',
    tool_use_id: String(block['tool_use_id']),
    ...(typeof content === 'string' ? { content } : {}),
    ...(Array.isArray(content) ? { content: content.filter(isJsonObject).map(toResultPart) } : {}),
    ...(block['is_error'] === true ? { is_error: true } : {}),
  };
}

function toResultPart({ cache_control: _mark, ...part }: Record<string, unknown>) {
  const known = Block.safeParse(part);
  if (known.success && (known.data.type === 'text' || known.data.type === 'image')) return known.data;
  return toWiredText('', { ...part, type: String(part['type']) });
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
