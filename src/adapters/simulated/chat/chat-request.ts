/** A Chat Completions request, and what makes one that a strict endpoint refuses. */
import { z } from 'zod';
import { parseJson } from '../../../parse-json.ts';
import { invalidRequest, type ApiError, type Rule } from '../request/refusal.ts';

const Text = z.union([z.string(), z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1)]);

const ToolCall = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
});

const ChatMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: Text }),
  z.strictObject({ role: z.literal('user'), content: Text }),
  z.strictObject({
    role: z.literal('assistant'),
    content: Text.nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(ToolCall).min(1).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), content: Text, tool_call_id: z.string().min(1) }),
]);
export type ChatMessage = z.infer<typeof ChatMessage>;

const ChatFunction = z.looseObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string().optional(),
  parameters: z.looseObject({ type: z.literal('object') }).optional(),
});

/** Fields that decide nothing here, such as a temperature, are let through. */
export const ChatRequest = z.object({
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
export type ChatRequest = z.infer<typeof ChatRequest>;

export function chatText(content: z.infer<typeof Text> | null | undefined): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('');
}

export const CHAT_RULES: readonly Rule<ChatRequest>[] = [
  { id: 'chat_arguments', check: refuseUnreadArguments },
  { id: 'chat_calls_answered', check: refuseOpenCalls },
  { id: 'chat_result_expected', check: refuseStrayResults },
];

const listToolCalls = (message: ChatMessage | undefined) =>
  message?.role === 'assistant' ? (message.tool_calls ?? []) : [];

/** Stricter than some servers: an assistant message must be one that a model may have written. */
function refuseUnreadArguments({ messages }: ChatRequest): ApiError | undefined {
  const wrong = messages.flatMap(listToolCalls).find((call) => {
    const value: unknown = parseJson(call.function.arguments);
    return typeof value !== 'object' || value === null || Array.isArray(value);
  });
  return wrong && invalidRequest(`the arguments of ${wrong.id} must be a JSON object in a string`);
}

/** The results that follow directly on a message. */
function listResults(messages: readonly ChatMessage[], index: number): string[] {
  const later = messages.slice(index + 1);
  const end = later.findIndex(({ role }) => role !== 'tool');
  return later.slice(0, end === -1 ? undefined : end).flatMap((one) => (one.role === 'tool' ? [one.tool_call_id] : []));
}

function refuseOpenCalls({ messages }: ChatRequest): ApiError | undefined {
  const open = messages.flatMap((message, index) => {
    const answered = listResults(messages, index);
    return listToolCalls(message).flatMap(({ id }) => (answered.includes(id) ? [] : [id]));
  });
  if (open.length === 0) return undefined;
  return invalidRequest(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${open.join(', ')}`,
  );
}

function refuseStrayResults({ messages }: ChatRequest): ApiError | undefined {
  const asked = messages.flatMap((message, index) => {
    const calls = new Set(listToolCalls(message).map(({ id }) => id));
    return listResults(messages, index).filter((id) => calls.delete(id));
  });
  const stray = messages.filter(({ role }) => role === 'tool').length - asked.length;
  const rule = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'";
  return stray === 0 ? undefined : invalidRequest(rule);
}
