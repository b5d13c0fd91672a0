/** Messages of tau-bench and tau2-bench, in the form of OpenAI. */
import { z } from 'zod';
import { parseJson } from '../../../parse-json.ts';
import { isJsonObject, type JsonObject } from '../../../scenario/json/json-value.ts';
import type { RecordedToolCall, RecordedMessage } from './recorded-run.ts';

const ToolCall = z.object({
  id: z.string().nullish(),
  name: z.string().nullish(),
  arguments: z.unknown().optional(),
  requestor: z.string().nullish(),
  function: z.object({ name: z.string(), arguments: z.unknown().optional() }).nullish(),
});

export const MessageShape = z.object({
  role: z.string(),
  content: z.unknown().optional(),
  tool_calls: z.array(ToolCall).nullish(),
  id: z.string().nullish(),
  tool_call_id: z.string().nullish(),
  error: z.boolean().nullish(),
});
type MessageShape = z.infer<typeof MessageShape>;

export function recordedMessage(shape: MessageShape): RecordedMessage {
  const { content, tool_calls, tool_call_id, id, error } = shape;
  const role = isSpeaker(shape.role) ? shape.role : 'system';
  const by = role === 'user' ? 'user' : 'assistant';
  const calls = (tool_calls ?? []).map((call, index): RecordedToolCall => ({
    id: call.id ?? `call-${index + 1}`,
    tool: call.function?.name ?? call.name ?? '',
    args: parseArguments(call.function?.arguments ?? call.arguments),
    by: call.requestor === 'user' ? 'user' : by,
  }));
  const message = { role, text: recordedText(content), calls };
  if (role !== 'tool') return message;
  return { ...message, answers: tool_call_id ?? id ?? '', isError: error === true };
}

/** Other roles (`developer`) are instructions, and count as the system's. */
function isSpeaker(role: string): role is RecordedMessage['role'] {
  return role === 'user' || role === 'assistant' || role === 'tool';
}

/** Text of a content that may be a string, a list of blocks, nothing, or a value that a tool answered. */
export function recordedText(content: unknown): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  if (Array.isArray(content) && content.every((part) => isJsonObject(part) && typeof part['text'] === 'string'))
    return content.map((part: JsonObject) => String(part['text'])).join('\n');
  return JSON.stringify(content);
}

/** Arguments are an object, or JSON text of one; anything else counts as none. */
function parseArguments(value: unknown): JsonObject {
  const args = typeof value === 'string' ? parseJson(value) : value;
  return isJsonObject(args) ? args : {};
}
