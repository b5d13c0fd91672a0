/** Puts the conversation together from spans: of OpenTelemetry's conventions for GenAI, and of Langfuse. */
import { parseJson } from '../../parse-json.ts';
import { isJsonObject, sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { toFields } from '../transcripts/messages.ts';

/** One call of a model or of a tool, with the conversation that it belongs to. */
export type TracedSpan = {
  conversation: string;
  at: string;
  input: JsonObject[];
  output: JsonObject[];
  tool?: { id: unknown; name: string; result: unknown };
};

export type SpanRecord = TracedSpan & { line: number };

/** Undefined for a value that is no span of a model or tool. */
export function readSpans(value: unknown): TracedSpan[] | undefined {
  if (!isJsonObject(value)) return undefined;
  if (Array.isArray(value['resourceSpans'])) return findOtelSpans(value).flatMap((span) => readOtelSpan(span) ?? []);
  const observations: unknown = value['observations'] ?? value['data'];
  if (Array.isArray(observations)) {
    const session = value['sessionId'] ?? value['id'];
    return listObjects(observations).flatMap((one) => readObservation({ ...one, sessionId: session }) ?? []);
  }
  const one = readOtelSpan(value) ?? readObservation(value);
  return one === undefined ? undefined : [one];
}

function findOtelSpans(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(findOtelSpans);
  if (!isJsonObject(value)) return [];
  if ('spanId' in value) return [value];
  return ['resourceSpans', 'scopeSpans', 'spans'].flatMap((key) => findOtelSpans(value[key]));
}

function readOtelSpan(span: JsonObject): TracedSpan | undefined {
  // An event of the span may hold the words that are missing in its attributes.
  const events = listObjects(span['events']).map((event) => readAttributes(event['attributes']));
  const attributes: JsonObject = Object.assign({}, ...events, readAttributes(span['attributes'])) as JsonObject;
  if (!Object.keys(attributes).some((key) => key.startsWith('gen_ai.'))) return undefined;
  const named = attributes['gen_ai.conversation.id'] ?? span['traceId'] ?? toFields(span['context'])['trace_id'];
  const tool = attributes['gen_ai.tool.name'];
  const result = attributes['gen_ai.tool.call.result'];
  const system = readParts(attributes['gen_ai.system_instructions']);
  return {
    conversation: toText(named),
    at: toText(span['startTimeUnixNano'] ?? span['start_time'] ?? span['startTime']).padStart(24, '0'),
    input: [
      ...(system.length === 0 ? [] : [{ role: 'system', content: system }]),
      ...readOtelMessages(attributes['gen_ai.input.messages']),
    ],
    output: readOtelMessages(attributes['gen_ai.output.messages']),
    ...(typeof tool === 'string' &&
      result !== undefined && { tool: { name: tool, result, id: attributes['gen_ai.tool.call.id'] } }),
  };
}

/** Exporters write attributes as a list of typed values, or as an object. */
function readAttributes(raw: unknown): JsonObject {
  if (!Array.isArray(raw)) return toFields(raw);
  return Object.fromEntries(listObjects(raw).map((one) => [one['key'], readTypedValue(toFields(one['value']))]));
}

function readTypedValue(value: JsonObject): unknown {
  const list = toFields(value['arrayValue'])['values'];
  if (Array.isArray(list)) return list.map((one) => readTypedValue(toFields(one)));
  const pairs = toFields(value['kvlistValue'])['values'];
  return Array.isArray(pairs) ? readAttributes(pairs) : Object.values(value)[0];
}

function readOtelMessages(raw: unknown): JsonObject[] {
  return listObjects(readText(raw)).flatMap((message) => {
    const parts = readParts(message['parts'] ?? message['content']);
    const results = parts.filter(({ type }) => type === 'tool_call_response');
    const calls = parts.filter(({ type }) => type === 'tool_call');
    const rest = parts.filter(({ type }) => type !== 'tool_call_response' && type !== 'tool_call');
    const spoken = { role: message['role'], content: rest, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
    return [
      ...results.map((one) => toResult(one['id'], one['response'] ?? one['result'])),
      ...(rest.length + calls.length === 0 ? [] : [spoken]),
    ];
  });
}

/** Parts of text, and those of calls in the spelling of chat messages. */
function readParts(raw: unknown): JsonObject[] {
  const parts = readText(raw);
  if (typeof parts === 'string') return [{ type: 'text', text: parts }];
  return listObjects(parts).map((part) => {
    return part['type'] === 'text' ? { type: 'text', text: part['content'] ?? part['text'] } : part;
  });
}

const OBSERVATION_TYPES = new Set(['GENERATION', 'TOOL', 'SPAN', 'AGENT', 'CHAIN', 'EVENT']);

function readObservation(raw: JsonObject): TracedSpan | undefined {
  const type = toText(raw['type']).toUpperCase();
  if (raw['traceId'] === undefined || !OBSERVATION_TYPES.has(type)) return undefined;
  const isModel = type === 'GENERATION';
  const id = toFields(raw['metadata'])['tool_call_id'];
  return {
    conversation: toText(raw['sessionId'] ?? raw['traceId']),
    at: toText(raw['startTime']),
    input: isModel ? readChat(raw['input'], 'user') : [],
    output: isModel ? readChat(raw['output'], 'assistant') : [],
    ...(type === 'TOOL' && { tool: { name: toText(raw['name']), result: raw['output'], id } }),
  };
}

/** Chat messages as a list, within an object, or as one text. */
export function readChat(raw: unknown, role: 'user' | 'assistant'): JsonObject[] {
  const value = readText(raw);
  if (typeof value === 'string') return value === '' ? [] : [{ role, content: value }];
  if (Array.isArray(value)) return value.flatMap((one) => readChat(one, role));
  if (!isJsonObject(value)) return [];
  if (Array.isArray(value['messages'])) return readChat(value['messages'], role);
  if (Array.isArray(value['choices'])) return readChat(toFields(value['choices'][0])['message'], role);
  return 'role' in value || 'content' in value ? [{ role, ...value }] : [];
}

/**
 * Each call of a model repeats the conversation before it, or holds only what is new. Results of tools are taken from
 * their own spans where no later call of a model shows them.
 */
export function joinSpans(spans: readonly TracedSpan[]): JsonObject[] {
  let said: JsonObject[] = [];
  for (const { input, output } of spans.toSorted((one, other) => (one.at < other.at ? -1 : 1))) {
    const next = [...input, ...output];
    const known = said.filter((one) => one['role'] !== 'system');
    const repeated = input.filter((one) => one['role'] !== 'system');
    const isRepeat = repeated.length > 0 && known.length > 0 && sameJson(repeated[0], known[0]);
    if (!isRepeat) said = [...said, ...next];
    else if (next.length >= said.length) said = next;
  }
  return withResults(said, spans);
}

function withResults(messages: readonly JsonObject[], spans: readonly TracedSpan[]): JsonObject[] {
  const answered = new Set(messages.flatMap((one) => (one['role'] === 'tool' ? [one['tool_call_id']] : [])));
  const runs = spans.flatMap(({ tool }) => tool ?? []);
  return messages.flatMap((message) => {
    const missing = listObjects(message['tool_calls']).filter(({ id }) => !answered.has(id));
    const results = missing.flatMap((call) => {
      const name = call['name'] ?? toFields(call['function'])['name'];
      const place = runs.findIndex((run) => (typeof run.id === 'string' ? run.id === call['id'] : run.name === name));
      const [run] = place === -1 ? [] : runs.splice(place, 1);
      return run === undefined ? [] : [toResult(call['id'] ?? name, run.result)];
    });
    return [message, ...results];
  });
}

function toResult(id: unknown, result: unknown): JsonObject {
  return { role: 'tool', tool_call_id: id, content: typeof result === 'string' ? result : JSON.stringify(result) };
}

/** Values of exporters are often JSON within a text. Messages that were cut off are nobody's words. */
function readText(raw: unknown): unknown {
  if (typeof raw !== 'string' || !/^\s*[[{"]/.test(raw)) return raw;
  return parseJson(raw) ?? (/^\s*(?:\[\s*)?\{\s*"(?:role|messages|parts|content)"/.test(raw) ? [] : raw);
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function listObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
