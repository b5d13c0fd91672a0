/** The API's answer in the harness's own shape, streamed or whole: every field of every block, as the wire brought it. */
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { ModelResponse } from '../../ports/model.ts';
import { MOST_LEVELS, shapeFault, isJsonObject } from '../../scenario/json/json-value.ts';
import { isWellFormed } from '../../transcript/block-fault.ts';
import { Block, KnownStopReason, StopReason, type Usage } from '../../transcript/message.ts';
import { toUsage, WireUsage, type TryProgress } from './failed-try-bill.ts';
import { parseJson } from '../../parse-json.ts';

/** Blocks that are sent back exactly as they were received, or not at all. */
const SIGNED_BLOCKS = new Set(['thinking', 'redacted_thinking', 'compaction']);
/** The kinds of blocks that the harness handles; all others are sent back unchanged. */
const KNOWN_BLOCKS = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use', 'compaction']);

export type ParsedResponse = {
  response: ModelResponse;
  /** Things in the answer that this version does not know, in words: a kind of block, a stop reason. */
  news: string[];
};

/**
 * Contract: `model_unavailable` for an answer that is damaged: a known block without what belongs to it, no stop reason.
 * Blank text blocks are left out, since the API refuses them when they come back (docs/internals/api-rules.md §2.2).
 */
export function toModelResponse(message: StreamedMessage, requestId: string | undefined): ParsedResponse {
  const { id, model, stop_reason: reason } = message;
  if (typeof id !== 'string' || typeof model !== 'string') throw createDamagedError('it has no id or model', requestId);
  const stopReason = StopReason.safeParse(reason);
  if (!stopReason.success) throw createDamagedError('it has no stop reason', requestId);
  const content = message.content.map((block, index) => toBlock(block, index, requestId));
  const unknown = content.flatMap((block) => (block.type === 'unknown' ? [`a block of type ${block.wire.type}`] : []));
  const known = KnownStopReason.safeParse(stopReason.data).success;
  return {
    response: {
      id,
      model,
      content: content.filter((block) => block.type !== 'text' || block.text.trim() !== ''),
      stopReason: stopReason.data,
      usage: readUsage(message.usage, requestId),
      ...omitUndefined({ requestId, stopDetails: readStopDetails(message['stop_details']) }),
    },
    news: [...unknown, ...(known ? [] : [`the stop reason ${stopReason.data}`])],
  };
}

const UNSENDABLE = { deep: `more than ${MOST_LEVELS} levels`, number: 'a number that is too large for JSON' };

function toBlock(wire: WireObject, index: number, requestId: string | undefined): Block {
  const { type } = wire;
  if (typeof type !== 'string') throw createDamagedError(`its block ${index} has no type`, requestId);
  // A block that JSON or the API cannot carry could neither be stored nor sent again unchanged.
  const fault = shapeFault(wire);
  if (fault !== undefined)
    throw createDamagedError(`its block ${index} (${type}) holds ${UNSENDABLE[fault]}`, requestId);
  if (SIGNED_BLOCKS.has(type) && !isWellFormed(wire))
    throw createDamagedError(`its block ${index} (${type}) holds half a character, and no request may`, requestId);
  if (!KNOWN_BLOCKS.has(type)) return { type: 'unknown', wire: { ...wire, type } };
  const block = Block.safeParse(type === 'tool_use' ? { ...wire, id: callId(wire['id']) } : wire);
  if (block.success) return block.data;
  const issue = block.error.issues[0];
  throw createDamagedError(`its block ${index} (${type}): ${issue?.path.join('.')}: ${issue?.message}`, requestId);
}

/** Some gateways name calls `functions.read:0`; the API refuses such an id, in the call and in its result. */
function callId(id: unknown): unknown {
  if (typeof id !== 'string') return id;
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, (odd) => `_${odd.charCodeAt(0).toString(16)}_`) || undefined;
}

function readUsage(wire: WireObject, requestId: string | undefined): Usage {
  const counted = WireUsage.safeParse(wire);
  if (!counted.success) throw createDamagedError(`its usage: ${counted.error.issues[0]?.message}`, requestId);
  return toUsage(counted.data);
}

const StopDetails = z.object({ category: z.string().nullish(), explanation: z.string().nullish() });
const LONGEST_EXPLANATION = 600;

/** The explanation is cut, because it is shown in one line. */
function readStopDetails(wire: unknown): ModelResponse['stopDetails'] {
  const details = StopDetails.safeParse(wire).data;
  if (details === undefined) return undefined;
  const [category, explanation] = [details.category ?? undefined, details.explanation ?? undefined];
  return omitUndefined({ category, explanation: explanation?.slice(0, LONGEST_EXPLANATION) });
}

/** A damaged answer is never stored, because it is not what the model said. */
export function createDamagedError(how: string, requestId: string | undefined): HarnessError {
  const message = `The answer of the model arrived damaged: ${how.slice(0, 300)}.`;
  const details = omitUndefined({ type: 'damaged_answer', requestId });
  return new HarnessError('model_unavailable', message, { retryable: true, details });
}

/** A JSON object as it was received. */
type WireObject = Record<string, unknown>;

/** An answer as it was received, or the part of it that arrived. */
type StreamedMessage = WireObject & { content: WireObject[]; usage: WireObject };

export type StreamReader = {
  take(event: unknown): void;
  /** Undefined unless the answer is complete. Contract: the inputs of tool calls are whole JSON, or `badInput` names the tool. */
  finish(): { message: StreamedMessage; badInput?: string } | undefined;
  /** The usage of the answer so far, as far as it was reported, and whether its final counts arrived. */
  heard(): TryProgress;
  /** Kinds of events and deltas that this version does not know. */
  news: ReadonlySet<string>;
};

/** Assembles one streamed answer from its events: every received field, nothing added, and the state at which it broke off. */
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
        const input = json === '' ? block['input'] : parseJson(json);
        // Any other text was cut, or damaged on its way.
        const isWhole = json === '' ? input !== undefined : isJsonObject(input);
        if (isWhole) block['input'] = input;
        else bad.push(toText(block['name']));
      }
      return { message, ...(bad[0] === undefined ? {} : { badInput: bad[0] }) };
    },
  };
}

const KNOWN_DELTAS = new Set(['text_delta', 'thinking_delta', 'signature_delta', 'compaction_delta']);
const SILENT_EVENTS = new Set(['ping', 'content_block_stop']);

/** Copies a whole message, or the beginning of one. */
function toStreamedMessage(message: unknown): StreamedMessage {
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

function toWireObject(value: unknown): WireObject {
  return isJsonObject(value) ? { ...value } : {};
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
