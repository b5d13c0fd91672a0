/** The message shape of the AI SDK (`ModelMessage`): the input and output of `generateText`. */
import type { ModelRequest, OutgoingMessage } from '../../ports/model.ts';
import type { Block, Message, ToolDefinition } from '../../transcript/message.ts';
import { usageError } from '../../errors.ts';
import { readPart, readResult } from './ai-parts-in.ts';
import { toAnswerParts, toAiResultPart, toUserParts } from './ai-parts-out.ts';
import type { AiAnswer, AiGiven, AiMessage, AiRequest, AiResultPart, AiUsage, ProviderOptions } from './ai-types.ts';
import { getField, readParts, splitMessageFields, toFieldsBlocks, toResponse, toUsage } from './shape.ts';
import type { ReadMessages, Shape } from './shape.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

export type AiShape<Tools> = Shape<AiGiven, AiAnswer, AiRequest<Tools>>;

/** Cache marks for Anthropic; every other provider ignores them. */
const MARK: ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** Takes `tools` as `generateText` does: tools with `execute` run, but never while a summary is written. */
export function aiSdk<Tools extends Readonly<Record<string, object>>>(tools?: Tools): AiShape<Tools> {
  return {
    name: 'aiSdk',
    tools: Object.entries(tools ?? {}).map(toToolDefinition),
    read: (given) => (isAnswer(given) ? readAnswer(given) : { messages: [readMessage(given)] }),
    write: (request, summary) => ({
      ...toInstructions(request),
      messages: writeMessages(request.messages),
      maxOutputTokens: request.max_tokens,
      ...(tools === undefined || request.tools.length === 0 ? {} : { tools: summary ? withoutExecute(tools) : tools }),
    }),
  };
}

function isAnswer(given: AiGiven | AiAnswer): given is AiAnswer {
  return 'responseMessages' in given || getField(getField(given, 'response') ?? {}, 'messages') !== undefined;
}

function toToolDefinition([name, tool]: [string, object]): ToolDefinition {
  const [description, inputSchema] = [getField(tool, 'description'), getField(tool, 'inputSchema')];
  const schema = isJsonObject(inputSchema) ? inputSchema['jsonSchema'] : undefined;
  return {
    name,
    description: typeof description === 'string' ? description : '',
    input_schema: { ...(isJsonObject(schema) ? schema : {}), type: 'object' },
  };
}

function withoutExecute<Tools extends Readonly<Record<string, object>>>(tools: Tools): Tools {
  const silent = Object.entries(tools).map(([name, tool]) => [name, { ...tool, execute: undefined }]);
  return Object.fromEntries(silent) as Tools;
}

const STOPS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
};

/** Up to its sixth version the SDK has the messages of an answer in `response.messages`. */
function readAnswer({
  response,
  responseMessages = response?.messages ?? [],
  finishReason,
  rawFinishReason,
  usage,
  steps,
}: AiAnswer): ReadMessages {
  const messages = responseMessages.map(readMessage);
  const several = messages.filter(({ role }) => role === 'assistant').length > 1;
  const first = several ? steps?.[0]?.usage : usage;
  const paused = rawFinishReason === 'pause_turn' ? rawFinishReason : undefined;
  const stopReason = paused ?? (several ? 'tool_use' : (STOPS[finishReason] ?? finishReason));
  return { messages, response: toResponse({ model: response?.modelId, stopReason, usage: first && readUsage(first) }) };
}

function readUsage({ inputTokens, outputTokens, inputTokenDetails: details }: AiUsage) {
  return toUsage({
    ...{ input: inputTokens, output: outputTokens },
    ...{ cacheRead: details?.cacheReadTokens, cacheWrite: details?.cacheWriteTokens },
  });
}

/** Options of a tool message are cache marks, which the context sets itself. */
function readMessage(given: AiGiven): Message {
  const { role, content } = given;
  if (content === undefined || content === null)
    throw usageError('A message needs `content`: convert those of the interface with `convertToModelMessages`.');
  if (role !== 'tool')
    return {
      role,
      content: [...readParts(content, readPart), ...(role === 'system' ? [] : toFieldsBlocks(given, KNOWN))],
    };
  return {
    role: 'user',
    content: readParts(content, (part) => {
      if (part.type === 'tool-result') return readResult(part);
      throw usageError(`A ${part.type} cannot be pushed: decide on the call, then push its result.`);
    }),
  };
}

const KNOWN = new Set(['role', 'content']);

function toInstructions({ system }: ModelRequest): Pick<AiRequest<never>, 'instructions'> {
  if (system.length === 0) return {};
  const content = system.map(({ text }) => text).join('\n\n');
  return { instructions: { role: 'system', content, providerOptions: MARK } };
}

function writeMessages(messages: readonly OutgoingMessage[]): AiMessage[] {
  const names = new Map<string, string>();
  return messages.flatMap(({ role, content }): AiMessage[] => {
    for (const block of content) if (block.type === 'tool_use') names.set(block.id, block.name);
    const split = splitMessageFields(content);
    const mark = writeMark(content, split.fields);
    if (role === 'assistant') return [{ ...split.fields, role, content: toAnswerParts(split.said), ...mark }];
    const results = content.flatMap((block): AiResultPart[] =>
      block.type === 'tool_result' ? [toAiResultPart(block, names.get(block.tool_use_id) ?? 'unknown')] : [],
    );
    const said = split.said.filter(({ type }) => type !== 'tool_result');
    return [
      ...(results.length === 0
        ? []
        : [{ role: 'tool' as const, content: results, ...(said.length === 0 ? mark : {}) }]),
      ...(said.length === 0 ? [] : [{ ...split.fields, role: 'user' as const, content: textOrParts(said), ...mark }]),
    ];
  });
}

/** Marks of others are taken off, since four fit; the other options of the message stay. */
function writeMark(content: OutgoingMessage['content'], { providerOptions }: Record<string, unknown>) {
  const marked = content.some((block) => block.cache_control !== undefined);
  if (!isJsonObject(providerOptions)) return marked ? { providerOptions: MARK } : {};
  const own = isJsonObject(providerOptions['anthropic']) ? providerOptions['anthropic'] : {};
  const { cacheControl: _mark, ...rest } = own;
  const anthropic = { ...rest, ...(marked ? MARK['anthropic'] : {}) };
  return { providerOptions: { ...providerOptions, anthropic } as ProviderOptions };
}

function textOrParts(said: readonly Block[]) {
  const parts = toUserParts(said);
  const [only, ...more] = parts;
  return only?.type === 'text' && more.length === 0 && Object.keys(only).length === 2 ? only.text : parts;
}
