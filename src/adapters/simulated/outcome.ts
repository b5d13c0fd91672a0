/** What goes out over the wire for one request, broken on purpose or whole. */
import { OVERLOADED } from './faults.ts';
import { type ApiError, errorBody } from './request/refusal.ts';
import type { Reply } from './reply.ts';
import type { FaultKind } from './scripts/script.ts';
import { type StreamEvent, messageBody, streamEvents } from './stream.ts';

export type HttpOutcome = {
  status: number;
  headers: Record<string, string>;
  chunks: Iterable<string>;
  /** The socket is closed after the last chunk, without an end. */
  hangUp: boolean;
};

/** On every response, so that it is not mistaken for the real API. */
export const SIMULATOR_HEADER = { 'tandem-simulator': '1' } as const;
const JSON_TYPE = { 'content-type': 'application/json' };

export function jsonOutcome(
  body: Record<string, unknown>,
  status = 200,
  headers: Record<string, string> = {},
): HttpOutcome {
  return { status, headers: { ...JSON_TYPE, ...headers }, chunks: [JSON.stringify(body)], hangUp: false };
}

export function refusalOutcome(refusal: ApiError, requestId: string): HttpOutcome {
  const { retryAfterSeconds: seconds } = refusal;
  const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return jsonOutcome(errorBody(refusal, requestId), refusal.status, headers);
}

/** Without a stream an error in mid-response can only be a status, and a cut only a torn body. */
export function replyOutcome(
  reply: Reply,
  streamed: boolean,
  { requestId, fault }: { requestId: string; fault?: FaultKind | undefined },
): HttpOutcome {
  if (streamed) {
    const chunks = eventLines(breakOff(streamEvents(reply), requestId, fault));
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
      chunks,
      hangUp: fault === 'cut',
    };
  }
  if (fault === 'mid_stream') return refusalOutcome(OVERLOADED, requestId);
  const whole = JSON.stringify(messageBody(reply));
  if (fault !== 'cut') return { status: 200, headers: JSON_TYPE, chunks: [whole], hangUp: false };
  return { status: 200, headers: JSON_TYPE, chunks: [whole.slice(0, whole.length / 2)], hangUp: true };
}

function* breakOff(events: Iterable<StreamEvent>, requestId: string, fault?: FaultKind): Generator<StreamEvent> {
  for (const event of events) {
    // Before the end in any case, for a response may have no block.
    if (fault === 'cut' && event.type === 'message_delta') return;
    if (
      fault === 'mid_stream' &&
      (event.type === 'message_delta' || (event.type === 'content_block_start' && event['index'] === 1))
    ) {
      yield errorEvent(requestId);
      return;
    }
    yield event;
  }
}

function errorEvent(requestId: string): StreamEvent {
  return { ...errorBody(OVERLOADED, requestId), type: 'error' };
}

function* eventLines(events: Iterable<StreamEvent>): Generator<string> {
  for (const event of events) yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
