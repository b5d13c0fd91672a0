/** Assembles one streamed answer from its events: every received field, nothing added, and the state at which it broke off. */
import { parseJson } from '../../parse-json.ts';
import type { TryProgress } from './failed-try-bill.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

/** A JSON object as it was received. */
export type WireObject = Record<string, unknown>;

/** An answer as it was received, or the part of it that arrived. */
export type StreamedMessage = WireObject & { content: WireObject[]; usage: WireObject };

export type StreamReader = {
  take(event: unknown): void;
  /** Undefined unless the answer is complete. Contract: the inputs of tool calls are whole JSON, or `badInput` names the tool. */
  finish(): { message: StreamedMessage; badInput?: string } | undefined;
  /** The usage of the answer so far, as far as it was reported, and whether its final counts arrived. */
  heard(): TryProgress;
  /** Kinds of events and deltas that this version does not know. */
  news: ReadonlySet<string>;
};

export function createStreamReader(onText?: (text: string) => void): StreamReader {
  let message: StreamedMessage | undefined;
  let [counted, ended] = [false, false];
  const inputs = new Map<number, string>();
  const news = new Set<string>();

  const takeDelta = (index: number, delta: WireObject): void => {
    const block = message?.content[index];
    if (block === undefined) return;
    const type = String(delta['type']);
    if (type === 'input_json_delta') inputs.set(index, (inputs.get(index) ?? '') + toText(delta['partial_json']));
    else if (type === 'citations_delta') block['citations'] = [...toList(block['citations']), delta['citation']];
    else {
      if (!KNOWN_DELTAS.has(type)) news.add(`a piece of type ${type}`);
      const grows = type === 'text_delta' || type === 'thinking_delta';
      for (const [key, value] of Object.entries(delta)) {
        if (key !== 'type') block[key] = grows && typeof value === 'string' ? toText(block[key]) + value : value;
      }
      if (type === 'text_delta') onText?.(toText(delta['text']));
    }
  };

  return {
    news,
    heard: () => ({ ended: counted, ...(message === undefined ? {} : { usage: message.usage }) }),
    take(event) {
      if (!isJsonObject(event)) return;
      const { type } = event;
      if (type === 'message_start') message ??= toStreamedMessage(event['message']);
      else if (type === 'content_block_start') message?.content.push(toWireObject(event['content_block']));
      else if (type === 'content_block_delta') takeDelta(Number(event['index']), toWireObject(event['delta']));
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
        if (input === undefined) bad.push(toText(block['name']));
        else block['input'] = input;
      }
      return { message, ...(bad[0] === undefined ? {} : { badInput: bad[0] }) };
    },
  };
}

const KNOWN_DELTAS = new Set(['text_delta', 'thinking_delta', 'signature_delta', 'compaction_delta']);
const SILENT_EVENTS = new Set(['ping', 'content_block_stop']);

/** Copies a whole message, or the beginning of one. */
export function toStreamedMessage(message: unknown): StreamedMessage {
  const start = toWireObject(message);
  return { ...start, content: toList(start['content']).map(toWireObject), usage: { ...toWireObject(start['usage']) } };
}

/** Counts are totals of the whole answer and may be left out, so they replace earlier ones and are never added. */
function addEnd(message: StreamedMessage | undefined, event: WireObject): boolean {
  if (message === undefined) return false;
  Object.assign(message, toWireObject(event['delta']));
  for (const [key, value] of Object.entries(toWireObject(event['usage']))) {
    if (value !== null && value !== undefined) message.usage[key] = value;
  }
  return true;
}

/** Returns undefined for text that is not one JSON object: the input was cut, or damaged on its way. */
function parseObject(json: string): WireObject | undefined {
  const value = parseJson(json);
  return isJsonObject(value) ? value : undefined;
}

function toWireObject(value: unknown): WireObject {
  return isJsonObject(value) ? { ...value } : {};
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
