/** Reads recorded conversations of any known form: ATIF, spans of OpenTelemetry and Langfuse, sessions, logs of chat messages. */
import { usageError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import { isJsonObject, type JsonObject } from '../../scenario/json/json-value.ts';
import type { MessageEntry } from '../../transcript/entry.ts';
import { tryForeignJson } from '../foreign-text.ts';
import { arrangeItems } from '../transcripts/arrange.ts';
import { importTranscript, splitRecords } from '../transcripts/import.ts';
import type { FileRecord, ImportNote } from '../transcripts/imported-item.ts';
import { readMessages } from '../transcripts/messages.ts';
import { joinSpans, listObjects, readChat, readSpans, type SpanRecord } from './spans.ts';

/** What happened, in order: a person's words, the agent's words, or a call with its answer. */
export type TraceStep =
  | { user: string }
  | { says: string }
  | { tool: string; args: JsonObject; output: unknown; is_error: boolean };
export type TracedToolStep = Extract<TraceStep, { tool: string }>;

/** `place` is the file and line where the conversation begins; `notes` name what of it could not be read. */
export type ReadTrace = { place: string; steps: TraceStep[]; notes: string[] };

/** Throws `usage`, with file and line, for a file without any conversation. A broken line is a trace without steps. */
export function readTraces(text: string, shown: string): ReadTrace[] {
  const whole = tryForeignJson(text);
  const { records, notes: broken } = isJsonObject(whole)
    ? { records: [{ line: 1, value: whole }], notes: [] }
    : splitRecords(text, shown);
  const spans = records.flatMap(({ line, value }) => (readSpans(value) ?? []).map((span) => ({ line, ...span })));
  const held = records.flatMap((record) => readHeld(record) ?? []);
  const found = spans.length > 0 ? readConversations(spans) : held;
  const read = found.length > 0 ? found : [{ line: 1, ...importTranscript(text, shown) }];
  const traces = read
    .map(({ line, entries, notes }) => ({
      ...{ place: `${shown}:${line}`, steps: toSteps(entries) },
      notes: notes.map((note) => `Line ${note.line}: ${note.text}.`),
    }))
    .filter(({ steps }) => steps.length > 0);
  const unread = found.length > 0 ? broken : [];
  if (traces.length > 0)
    return [
      ...traces,
      ...unread.map(({ line, text: note }) => ({ place: `${shown}:${line}`, steps: [], notes: [`${note}.`] })),
    ];
  throw usageError(
    `${shown}:1: no conversation was found. Expected ATIF, spans of OpenTelemetry or Langfuse with their inputs and ` +
      `outputs, a session of Claude Code, chat messages, or items of OpenAI's Responses.`,
    { details: { file: shown, line: 1 } },
  );
}

type Recorded = { line: number; entries: MessageEntry[]; notes: readonly ImportNote[] };

function readConversations(spans: readonly SpanRecord[]): Recorded[] {
  return [...Map.groupBy(spans, ({ conversation }) => conversation)].map(([, own]) => {
    return toRecorded(joinSpans(own), own[0]?.line ?? 1);
  });
}

/** A record that holds a whole conversation; undefined for one message, or a line of a session. */
function readHeld({ line, value }: FileRecord): Recorded | undefined {
  if (!isJsonObject(value)) return undefined;
  if (Array.isArray(value['steps'])) return toRecorded(listObjects(value['steps']).flatMap(readAtifStep), line);
  const [request, response] = [value['request'], value['response']].map((one) => (isJsonObject(one) ? one : value));
  if (Array.isArray(request?.['messages'])) {
    const answer = value['response'] ?? (Array.isArray(value['choices']) ? { choices: value['choices'] } : undefined);
    return toRecorded([...readChat(request['messages'], 'user'), ...readChat(answer, 'assistant')], line);
  }
  if (!Array.isArray(response?.['output']) && !Array.isArray(request?.['input'])) return undefined;
  const items = [...readItems(request?.['input'], 'user'), ...readItems(response?.['output'], 'assistant')];
  const recorded = toRecorded(items, line);
  const earlier = request?.['previous_response_id'] ?? response?.['previous_response_id'];
  const note = { line, text: 'it goes on from an earlier response, which is not part of it' };
  return typeof earlier === 'string' ? { ...recorded, notes: [...recorded.notes, note] } : recorded;
}

/** Items of OpenAI's Responses as chat messages; an item of any other type is noted by the reader of messages. */
function readItems(raw: unknown, role: 'user' | 'assistant'): JsonObject[] {
  if (typeof raw === 'string') return [{ role, content: raw }];
  return listObjects(raw).flatMap(({ type, call_id: id, ...item }) => {
    if (type === 'reasoning') return [];
    if (type === 'function_call')
      return [{ role: 'assistant', tool_calls: [{ id, name: item['name'], arguments: item['arguments'] }] }];
    if (type === 'function_call_output') return [{ role: 'tool', tool_call_id: id, content: item['output'] }];
    if (type !== undefined && type !== 'message') return [{ role: typeof type === 'string' ? type : 'no type' }];
    const parts = listObjects(item['content']).map((part) =>
      String(part['type']).endsWith('text') ? { ...part, type: 'text' } : part,
    );
    return [{ role, ...item, ...(parts.length > 0 && { content: parts }) }];
  });
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

function toRecorded(messages: readonly JsonObject[], line: number): Recorded {
  const records = messages.map((value) => ({ line, value }));
  const { items, notes } = readMessages(records, undefined);
  const arranged = arrangeItems(items);
  return { line, entries: arranged.entries, notes: [...notes, ...arranged.notes] };
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
