/** Reads recorded conversations of any known form: ATIF, spans of OpenTelemetry and Langfuse, sessions, logs of chat messages. */
import { usageError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import { isJsonObject, type JsonObject } from '../../scenario/json/json-value.ts';
import type { MessageEntry } from '../../transcript/entry.ts';
import { tryForeignJson } from '../foreign-text.ts';
import { arrangeItems } from '../transcripts/arrange.ts';
import { importTranscript, splitRecords } from '../transcripts/import.ts';
import type { FileRecord } from '../transcripts/imported-item.ts';
import { readMessages } from '../transcripts/messages.ts';
import { joinSpans, listObjects, readChat, readSpans, type SpanRecord } from './spans.ts';

/** What happened, in order: a person's words, the agent's words, or a call with its answer. */
export type TraceStep =
  | { user: string }
  | { says: string }
  | { tool: string; args: JsonObject; output: unknown; is_error: boolean };
export type TracedCall = Extract<TraceStep, { tool: string }>;

/** `place` is the file and line where the conversation begins. */
export type ReadTrace = { place: string; format: TraceFormat; steps: TraceStep[] };
export type TraceFormat = 'atif' | 'spans' | 'messages' | 'session';

/** Throws `usage`, with file and line, for a file without any conversation. */
export function readTraces(text: string, shown: string): ReadTrace[] {
  const whole = tryForeignJson(text);
  const isOne = isJsonObject(whole) && !Array.isArray(whole['messages']);
  const records = isOne ? [{ line: 1, value: whole }] : splitRecords(text, shown).records;
  const spans = records.flatMap(({ line, value }) => (readSpans(value) ?? []).map((span) => ({ line, ...span })));
  const held = records.flatMap((record) => readHeld(record) ?? []);
  const found = spans.length > 0 ? readConversations(spans) : held;
  const read: Recorded[] =
    found.length > 0 ? found : [{ line: 1, format: 'session', entries: importTranscript(text, shown).entries }];
  const all = read.map(({ line, format, entries }) => ({ place: `${shown}:${line}`, format, steps: toSteps(entries) }));
  const traces = all.filter(({ steps }) => steps.length > 0);
  if (traces.length > 0) return traces;
  throw usageError(
    `${shown}:1: no conversation was found. Expected ATIF, spans of OpenTelemetry or Langfuse with their inputs and ` +
      `outputs, a session of Claude Code, or chat messages.`,
    { details: { file: shown, line: 1 } },
  );
}

type Recorded = { line: number; format: TraceFormat; entries: MessageEntry[] };

function readConversations(spans: readonly SpanRecord[]): Recorded[] {
  return [...Map.groupBy(spans, ({ conversation }) => conversation)].map(([, own]) => {
    const line = own[0]?.line ?? 1;
    return { line, format: 'spans', entries: toEntries(joinSpans(own), line) };
  });
}

/** A record that holds a whole conversation; undefined for one message, or a line of a session. */
function readHeld({ line, value }: FileRecord): Recorded | undefined {
  if (!isJsonObject(value)) return undefined;
  if (Array.isArray(value['steps'])) {
    const messages = listObjects(value['steps']).flatMap(readAtifStep);
    return { line, format: 'atif', entries: toEntries(messages, line) };
  }
  const request = isJsonObject(value['request']) ? value['request'] : value;
  if (!Array.isArray(request['messages'])) return undefined;
  const answer = value['response'] ?? (Array.isArray(value['choices']) ? { choices: value['choices'] } : undefined);
  const messages = [...readChat(request['messages'], 'user'), ...readChat(answer, 'assistant')];
  return { line, format: 'messages', entries: toEntries(messages, line) };
}

const ATIF_ROLES: Readonly<Record<string, string>> = { user: 'user', agent: 'assistant', system: 'system' };

function readAtifStep(step: JsonObject): JsonObject[] {
  const calls = listObjects(step['tool_calls']);
  const results = isJsonObject(step['observation']) ? listObjects(step['observation']['results']) : [];
  const message = {
    role: ATIF_ROLES[String(step['source'])] ?? 'system',
    content: step['message'],
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => ({
        id: call['tool_call_id'],
        name: call['function_name'],
        arguments: call['arguments'],
      })),
    }),
  };
  return [
    message,
    ...results.map((result, place) => ({
      role: 'tool',
      tool_call_id: result['source_call_id'] ?? calls[place]?.['tool_call_id'],
      content: result['content'],
    })),
  ];
}

function toEntries(messages: readonly JsonObject[], line: number): MessageEntry[] {
  const { items } = readMessages(
    messages.map((value) => ({ line, value })),
    undefined,
  );
  return arrangeItems(items).entries;
}

/** A call without a result was cut off, and is no part of what happened. */
function toSteps(entries: readonly MessageEntry[]): TraceStep[] {
  const results = new Map(
    entries.flatMap(({ message }) =>
      message.content.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, block] as const] : [])),
    ),
  );
  return entries.flatMap(({ origin, message }) =>
    message.content.flatMap((block): TraceStep[] => {
      if (block.type === 'text') {
        if (message.role === 'assistant') return [{ says: block.text }];
        return origin === 'human' ? [{ user: block.text }] : [];
      }
      const result = block.type === 'tool_use' ? results.get(block.id) : undefined;
      if (block.type !== 'tool_use' || result === undefined) return [];
      const output = readOutput(result.content);
      return [{ tool: block.name, args: block.input, output, is_error: result.is_error === true }];
    }),
  );
}

function readOutput(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? '';
  const text = content.flatMap((block: { text?: string }) => block.text ?? []).join('\n');
  return parseJson(text) ?? text;
}
