/** An answer of the Messages API as events, streamed or not, and back. */
import { isJsonObject } from '../../../src/scenario/json/json-value.ts';

export type JsonRecord = Record<string, unknown>;

/** Events of one answer. Contract: as `message_start`, then the blocks, then `message_delta` (docs/internals/api-rules.md §4). */
export type AnswerEvents = JsonRecord[];

export function readEvents(text: string): AnswerEvents {
  return text.split(/\r?\n\r?\n/).flatMap((frame) => {
    const data = /^data: ?(.*)$/m.exec(frame)?.[1];
    return data === undefined ? [] : [asJson(JSON.parse(data))];
  });
}

export function formatFrame(event: JsonRecord): string {
  return `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Converts a whole message to the fewest events: each block is complete in its start event. */
export function toAnswerEvents(message: JsonRecord): AnswerEvents {
  const { content, stop_reason, stop_sequence, stop_details, usage, ...rest } = message;
  const blocks = Array.isArray(content) ? content.map(asJson) : [];
  return [
    { type: 'message_start', message: { ...rest, content: [], stop_reason: null, usage } },
    ...blocks.map((block, index) => ({ type: 'content_block_start', index, content_block: block })),
    { type: 'message_delta', delta: { stop_reason, stop_sequence, stop_details }, usage },
    { type: 'message_stop' },
  ];
}

/** Builds the message that the events describe. */
export function joinEvents(events: AnswerEvents): JsonRecord {
  const start = events.find(({ type }) => type === 'message_start');
  const end = events.find(({ type }) => type === 'message_delta');
  const blocks = events.flatMap(({ type, content_block }) => (type === 'content_block_start' ? [content_block] : []));
  return { ...asJson(start?.['message']), content: blocks, ...asJson(end?.['delta']), usage: end?.['usage'] };
}

/** Reads the final counts of the answer. */
export function readLastUsage(events: AnswerEvents): JsonRecord {
  const start = events.find(({ type }) => type === 'message_start');
  const end = events.find(({ type }) => type === 'message_delta');
  return { ...asJson(asJson(start?.['message'])['usage']), ...asJson(end?.['usage']) };
}

export function asJson(value: unknown): JsonRecord {
  return isJsonObject(value) ? { ...value } : {};
}
