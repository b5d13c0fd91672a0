/** The Chat Completions endpoint: reads its requests as those of the Messages API, and answers in its own format. */
import { z } from 'zod';
import { parseJson } from '../../../parse-json.ts';
import { isJsonObject } from '../../../scenario/json/json-value.ts';
import { jsonOutcome, streamOutcome, wholeOutcome, type AnswerFormat, type HttpOutcome } from '../outcome.ts';
import type { Reply } from '../reply.ts';
import { findModelCard } from '../request/models.ts';
import { invalidRequest, type ApiError, type Refused } from '../request/refusal.ts';
import type { ApiRequest } from '../request/shape.ts';
import { createSubmission, type Submission } from '../request/submission.ts';
import type { Head } from '../rules/http-rules.ts';

export const CHAT_PATH = '/v1/chat/completions';

/** The model whose tokenizer counts, because the endpoint accepts any model name. */
const COUNTED_AS = 'claude-haiku-4-5-20251001';

const Text = z
  .union([z.string(), z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1)])
  .transform((content) => (typeof content === 'string' ? content : content.map(({ text }) => text).join('')));

const Arguments = z.string().transform((json, context) => {
  const value = parseJson(json);
  if (isJsonObject(value)) return { ...value };
  context.addIssue('must be a JSON object in a string');
  return z.NEVER;
});

const ToolCall = z.object({
  id: z.string().min(1),
  function: z.object({ name: z.string().min(1), arguments: Arguments }),
});

const ChatMessage = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: Text.nullish(),
  tool_calls: z.array(ToolCall).min(1).optional(),
  tool_call_id: z.string().default(''),
});
type ChatMessage = z.infer<typeof ChatMessage>;

const ChatFunction = z.looseObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string().optional(),
  parameters: z.looseObject({ type: z.literal('object') }).optional(),
});

/** Fields that decide nothing here, such as a temperature, are let through. */
const ChatRequest = z.object({
  model: z.string().min(1),
  messages: z.array(ChatMessage).min(1),
  tools: z
    .array(z.strictObject({ type: z.literal('function'), function: ChatFunction }))
    .min(1)
    .optional(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullish(),
});
type ChatRequest = z.infer<typeof ChatRequest>;

type ReadChat = { model: string; submission: Submission; format: AnswerFormat };

export function readChat({ method, headers, body }: Head & { body: string | null }): ReadChat | Refused {
  if (method !== 'POST') return { ...invalidRequest(`${method} is not served here`), status: 405, rule: 'route' };
  if (!/^Bearer \S+$/i.test(headers.authorization ?? '')) {
    const message = "You didn't provide an API key: Authorization: Bearer <any word> will do here";
    return { status: 401, type: 'authentication_error', message, rule: 'auth' };
  }
  const value = body === null ? undefined : parseJson(body);
  if (value === undefined)
    return { ...invalidRequest('We could not parse the JSON body of your request'), rule: 'body_json' };
  const { data, error } = ChatRequest.safeParse(value);
  const [issue] = error?.issues ?? [];
  if (data === undefined)
    return { ...invalidRequest(`${issue?.path.join('.') || 'body'}: ${issue?.message}`), rule: 'chat_shape' };
  return { model: data.model, submission: toSubmission(data), format: createFormat(data) };
}

/** Converts the conversation into the form of the scripts, whose rules are the same for both endpoints. */
function toSubmission(chat: ChatRequest): Submission {
  const model = findModelCard(COUNTED_AS);
  if (model === undefined) throw new Error(`The simulator has no model ${COUNTED_AS}.`);
  const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer';
  const request: ApiRequest = {
    model: model.id,
    max_tokens: chat.max_completion_tokens ?? chat.max_tokens ?? 4096,
    stream: chat.stream === true,
    system: chat.messages
      .filter(isSystem)
      .map(({ content }) => content)
      .join('\n'),
    messages: chat.messages.flatMap((message) => (isSystem(message) ? [] : [toApiMessage(message)])),
    tools: (chat.tools ?? []).map(({ function: { name, description = name, parameters = { type: 'object' } } }) => ({
      ...{ name, description, input_schema: parameters },
    })),
  };
  return createSubmission({
    ...{ endpoint: 'messages', version: '2026-10-21', betas: new Set<string>(), enforceBinding: false },
    ...{ request, model },
  });
}

/** Results of parallel calls are merged afterwards, as all neighbours of one role are. */
function toApiMessage(message: ChatMessage): ApiRequest['messages'][number] {
  const text = message.content ?? '';
  if (message.role === 'tool')
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: message.tool_call_id, content: text }] };
  if (message.role !== 'assistant') return { role: 'user', content: text };
  const uses = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
    ...{ type: 'tool_use' as const, id, name, input },
  }));
  return { role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...uses] };
}

/** Formats an error as this endpoint does. */
export function refuseChat({ status, type, message, retryAfterSeconds: seconds }: ApiError): HttpOutcome {
  const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return jsonOutcome({ error: { message, type, param: null, code: null } }, status === 529 ? 503 : status, headers);
}

function createFormat({ model, stream_options: options }: ChatRequest): AnswerFormat {
  return {
    refusal: refuseChat,
    reply: (reply, streamed, { fault }) => {
      const isBroken = fault === 'cut' || fault === 'mid_stream';
      const message = toChatAnswer(reply);
      const finish = FINISHES[reply.stop.stop_reason] ?? 'stop';
      const head = { id: reply.id.replace('msg_', 'chatcmpl-'), created: 1_700_000_000, model };
      const usage = toChatUsage(reply.usage);
      if (!streamed) {
        const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
        return wholeOutcome({ ...head, object: 'chat.completion', choices, usage }, isBroken);
      }
      const calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
      const chunks = [
        { choices: [{ index: 0, delta: { ...message, tool_calls: calls }, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
        ...(options?.include_usage === true ? [{ choices: [], usage }] : []),
      ];
      const lines = chunks.map(
        (chunk) => `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...chunk })}\n\n`,
      );
      return streamOutcome(isBroken ? lines.slice(0, 1) : [...lines, 'data: [DONE]\n\n'], isBroken);
    },
  };
}

const FINISHES: Readonly<Record<string, string>> = { tool_use: 'tool_calls', max_tokens: 'length' };

/** A call that was cut off is left out: its arguments are no JSON. */
function toChatAnswer({ content, stop }: Reply) {
  const said = content.map(({ block }) => (block.type === 'text' ? block.text : '')).join('');
  const calls = content.flatMap(({ block, json = '' }) =>
    block.type === 'tool_use' && stop.stop_reason === 'tool_use'
      ? [{ id: block.id, type: 'function' as const, function: { name: block.name, arguments: json } }]
      : [],
  );
  return {
    role: 'assistant' as const,
    content: said === '' ? null : said,
    refusal: stop.stop_reason === 'refusal' ? 'Simulated refusal.' : null,
    tool_calls: calls.length === 0 ? undefined : calls,
  };
}

function toChatUsage(usage: Reply['usage']): Record<string, number> {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens: completion } = usage;
  const prompt = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
