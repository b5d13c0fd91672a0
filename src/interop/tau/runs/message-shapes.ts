/** Messages of tau-bench (as OpenAI writes them) and of tau2-bench, read into one shape. */
import { z } from 'zod';
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
  cost: z.number().nonnegative().nullish().catch(null),
});
type MessageShape = z.infer<typeof MessageShape>;

export function recordedMessage(shape: MessageShape): RecordedMessage {
  const { content, tool_calls, tool_call_id, id, error, cost } = shape;
  const role = isSpeaker(shape.role) ? shape.role : 'system';
  const by = role === 'user' ? 'user' : 'assistant';
  const calls = (tool_calls ?? []).map((call, index): RecordedToolCall => ({
    id: call.id ?? `call-${index + 1}`,
    tool: call.function?.name ?? call.name ?? '',
    args: argumentsOf(call.function?.arguments ?? call.arguments),
    by: call.requestor === 'user' ? 'user' : by,
  }));
  const message = { role, text: recordedText(content), calls };
  // What the simulated user costs is not what the subject costs.
  if (role === 'assistant') return { ...message, costUsd: cost ?? 0 };
  if (role !== 'tool') return message;
  return { ...message, answers: tool_call_id ?? id ?? '', isError: error === true };
}

/** Roles of other kinds (`developer`) are instructions: nobody said them, nobody did them. */
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

/** Arguments are an object, or JSON text of one; what is neither cannot have been understood by any tool. */
function argumentsOf(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  if (typeof value !== 'string') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) ? parsed : {};
  } catch (notJson) {
    void notJson;
    return {};
  }
}
