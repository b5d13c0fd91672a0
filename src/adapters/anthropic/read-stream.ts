/** Gathers one streamed answer, event by event: every field that came, nothing added, and what is known when it breaks off. */
import { parseJson } from '../../parse-json.ts';
import type { TryProgress } from './bill.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

/** An object as it came over the wire. */
export type Wire = Record<string, unknown>;

/** An answer as the wire brought it, or as much of it as came. */
export type StreamedMessage = Wire & { content: Wire[]; usage: Wire };

export type StreamReader = {
  take(event: unknown): void;
  /** Undefined unless the answer came to its end. Contract: the inputs of tool calls are whole JSON, or `badInput` names the tool. */
  finish(): { message: StreamedMessage; badInput?: string } | undefined;
  /** What the answer has used by now, as far as it was said, and whether its last counts came. */
  heard(): TryProgress;
  /** Kinds of events and pieces that are new to this version. */
  news: ReadonlySet<string>;
};

export function createStreamReader(onText?: (text: string) => void): StreamReader {
  let message: StreamedMessage | undefined;
  let [counted, ended] = [false, false];
  const inputs = new Map<number, string>();
  const news = new Set<string>();

  const takeDelta = (index: number, delta: Wire): void => {
    const block = message?.content[index];
    if (block === undefined) return;
    const type = String(delta['type']);
    if (type === 'input_json_delta') inputs.set(index, (inputs.get(index) ?? '') + textOf(delta['partial_json']));
    else if (type === 'citations_delta') block['citations'] = [...listOf(block['citations']), delta['citation']];
    else {
      if (!KNOWN_DELTAS.has(type)) news.add(`a piece of type ${type}`);
      const grows = type === 'text_delta' || type === 'thinking_delta';
      for (const [key, value] of Object.entries(delta)) {
        if (key !== 'type') block[key] = grows && typeof value === 'string' ? textOf(block[key]) + value : value;
      }
      if (type === 'text_delta') onText?.(textOf(delta['text']));
    }
  };

  return {
    news,
    heard: () => ({ ended: counted, ...(message === undefined ? {} : { usage: message.usage }) }),
    take(event) {
      if (!isJsonObject(event)) return;
      const { type } = event;
      if (type === 'message_start') message ??= beginningOf(event['message']);
      else if (type === 'content_block_start') message?.content.push(recordOf(event['content_block']));
      else if (type === 'content_block_delta') takeDelta(Number(event['index']), recordOf(event['delta']));
      else if (type === 'message_delta') counted = addEnd(message, event);
      else if (type === 'message_stop') ended = true;
      else if (!SILENT_EVENTS.has(String(type))) news.add(`an event ${String(type)}`);
    },
    finish() {
      if (message === undefined || !ended) return undefined;
      const bad: string[] = [];
      for (const [index, json] of inputs) {
        const block = message.content[index] ?? {};
        const input = json === '' ? block['input'] : parseObject(json);
        if (input === undefined) bad.push(textOf(block['name']));
        else block['input'] = input;
      }
      return { message, ...(bad[0] === undefined ? {} : { badInput: bad[0] }) };
    },
  };
}

const KNOWN_DELTAS = new Set(['text_delta', 'thinking_delta', 'signature_delta', 'compaction_delta']);
const SILENT_EVENTS = new Set(['ping', 'content_block_stop']);

/** A whole message, or the beginning of one. */
export function beginningOf(message: unknown): StreamedMessage {
  const start = recordOf(message);
  return { ...start, content: listOf(start['content']).map(recordOf), usage: { ...recordOf(start['usage']) } };
}

/** Counts are sums over the whole answer and are left out where they do not apply: they replace, and never add. */
function addEnd(message: StreamedMessage | undefined, event: Wire): boolean {
  if (message === undefined) return false;
  Object.assign(message, recordOf(event['delta']));
  for (const [key, value] of Object.entries(recordOf(event['usage']))) {
    if (value !== null && value !== undefined) message.usage[key] = value;
  }
  return true;
}

/** Undefined for what is not the JSON of one object: the input was cut, or damaged on its way. */
function parseObject(json: string): Wire | undefined {
  const value = parseJson(json);
  return isJsonObject(value) ? value : undefined;
}

function recordOf(value: unknown): Wire {
  return isJsonObject(value) ? { ...value } : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
