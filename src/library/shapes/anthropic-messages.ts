/** The shape of the Messages API: the input and output of `client.messages.create`. */
import type Anthropic from '@anthropic-ai/sdk';
import { omitUndefined } from '../../omit-undefined.ts';
import type { ModelRequest } from '../../ports/model.ts';
import { Block, type Message, type ToolDefinition } from '../../transcript/message.ts';
import { getWirePart, isWirePart, listGivenParts, readCallId, readParts, readToolInput } from './shape.ts';
import { toMalformedText, toResponse, toUnknownBlock, toUsage, toWiredText } from './shape.ts';
import type { ReadMessages, Shape, WirePart } from './shape.ts';

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
  usage?: Partial<Record<(typeof COUNTS)[number], number | null>> | null;
};

const COUNTS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'] as const;

function readMessage({ role, content, model, stop_reason: stopReason, usage }: IncomingMessage): ReadMessages {
  const messages = [{ role, content: readParts(content, toBlock) }];
  if (typeof model !== 'string' || typeof stopReason !== 'string') return { messages };
  const [input, cacheRead, cacheWrite, output] = COUNTS.map((name) => usage?.[name] ?? undefined);
  const all = input === undefined ? undefined : input + (cacheRead ?? 0) + (cacheWrite ?? 0);
  const counted = toUsage({ input: all, output, cacheRead, cacheWrite });
  return { messages, response: toResponse({ model, stopReason, usage: counted }) };
}

/**
 * Removes the caller's cache marks, of which a request may hold four at most: the context sets its own. What the client has
 * parsed is not the endpoint's either.
 */
function toBlock({ cache_control: _mark, parsed_output: _parsed, ...given }: WirePart): Block {
  const block: WirePart = given;
  if (block.type === 'unknown') return toUnknownBlock(block);
  const known = Block.safeParse(mendBlock(block));
  if (known.success) return known.data;
  // A part of a kind that the core knows, and that has not the fields of that kind, would be refused in every request.
  return MENDED.has(block.type) ? toMalformedText(block) : toUnknownBlock(block);
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
      return { ...block, id: readCallId(block['id']), name: text('name'), ...readToolInput(block['input']) };
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

function toToolResult({ content, is_error: failed, ...block }: WirePart): WirePart {
  const parts = listGivenParts(content);
  return {
    ...block,
    tool_use_id: readCallId(block['tool_use_id']),
    ...(typeof content === 'string' ? { content } : parts.length === 0 ? {} : { content: parts.map(toResultPart) }),
    ...(failed === true ? { is_error: true } : {}),
  };
}

function toResultPart(given: unknown): Block {
  if (typeof given === 'string') return { type: 'text', text: given };
  if (!isWirePart(given)) return toMalformedText(given);
  const { cache_control: _mark, ...part } = given;
  const known = Block.safeParse(part);
  if (known.success && (known.data.type === 'text' || known.data.type === 'image')) return known.data;
  return MENDED.has(given.type) ? toMalformedText(part) : toWiredText('', { ...part, type: given.type });
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
  // The API caches no tool that is loaded later, and refuses a mark on one.
  const last = tools.findLastIndex((tool) => Reflect.get(tool, 'defer_loading') !== true);
  return {
    model,
    max_tokens,
    messages: messages.map(({ role, content }) => ({ role, content: content.map(toSentBlock) })),
    ...(system.length === 0 ? {} : { system }),
    // A request for a summary in parts has no tools.
    ...(request.tools.length === 0
      ? {}
      : { tools: tools.map((tool, place) => ({ ...withoutMark(tool), ...(place === last ? mark : {}) })) }),
    ...omitUndefined({ thinking }),
  };
}

function withoutMark({ cache_control: _mark, ...tool }: { cache_control?: unknown }): object {
  return tool;
}

/** A mark on a block that is passed on unchanged is lost, which costs at most one cached prefix. */
function toSentBlock(block: ModelRequest['messages'][number]['content'][number]): object {
  if (block.type === 'unknown') return block.wire;
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return block;
  return { ...block, content: block.content.map((part) => getWirePart(part) ?? part) };
}
