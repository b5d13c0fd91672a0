/** An answer of the Messages API as events, streamed or not, and back. */
import { isJsonObject } from '../../scenario/json/json-value.ts';

export type Json = Record<string, unknown>;

/** Events of one answer. Contract: as `message_start`, then the blocks, then `message_delta` (docs/api-rules.md §4). */
export type AnswerEvents = Json[];

export function readEvents(text: string): AnswerEvents {
  return text.split(/\r?\n\r?\n/).flatMap((frame) => {
    const data = /^data: ?(.*)$/m.exec(frame)?.[1];
    return data === undefined ? [] : [asJson(JSON.parse(data))];
  });
}

export function frameOf(event: Json): string {
  return `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** A whole message as the fewest events: each block is complete where it starts. */
export function eventsOfMessage(message: Json): AnswerEvents {
  const { content, stop_reason, stop_sequence, stop_details, usage, ...rest } = message;
  const blocks = Array.isArray(content) ? content.map(asJson) : [];
  return [
    { type: 'message_start', message: { ...rest, content: [], stop_reason: null, usage } },
    ...blocks.map((block, index) => ({ type: 'content_block_start', index, content_block: block })),
    { type: 'message_delta', delta: { stop_reason, stop_sequence, stop_details }, usage },
    { type: 'message_stop' },
  ];
}

/** The message that such events make. */
export function messageOfEvents(events: AnswerEvents): Json {
  const start = events.find(({ type }) => type === 'message_start');
  const end = events.find(({ type }) => type === 'message_delta');
  const blocks = events.flatMap(({ type, content_block }) => (type === 'content_block_start' ? [content_block] : []));
  return { ...asJson(start?.['message']), content: blocks, ...asJson(end?.['delta']), usage: end?.['usage'] };
}

/** What the answer used, as its last counts say. */
export function usageIn(events: AnswerEvents): Json {
  const start = events.find(({ type }) => type === 'message_start');
  const end = events.find(({ type }) => type === 'message_delta');
  return { ...asJson(asJson(start?.['message'])['usage']), ...asJson(end?.['usage']) };
}

export function asJson(value: unknown): Json {
  return isJsonObject(value) ? { ...value } : {};
}
