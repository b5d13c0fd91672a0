/** Faults of the way: what the server said is right, and its bytes are cut, delayed or damaged. */
import { asJson, frameOf, type AnswerEvents } from './events.ts';
import type { Broken, Fault } from './fault.ts';

const OVERLOADED = frameOf({
  type: 'error',
  error: { type: 'overloaded_error', message: 'Overloaded' },
  request_id: 'req_fault',
});

const wholeFrames = (events: AnswerEvents): string[] => events.map(frameOf);
const until = (events: AnswerEvents, type: string): string[] =>
  wholeFrames(
    events.slice(
      0,
      events.findIndex((event) => event['type'] === type),
    ),
  );

/** Up to the middle of the pieces of the answer. */
function half(events: AnswerEvents): string[] {
  const places = events.flatMap(({ type }, place) => (type === 'content_block_delta' ? [place] : []));
  return wholeFrames(events.slice(0, (places[Math.floor(places.length / 2)] ?? 1) + 1));
}

const cutAt = (frames: string[]): Broken => ({ frames, after: 'drop' });

/** One event whose JSON is no JSON any more. */
function garbled(events: AnswerEvents): Broken {
  const place = Math.max(
    1,
    events.findIndex(({ type }) => type === 'content_block_delta'),
  );
  return {
    frames: wholeFrames(events).map((frame, index) => (index === place ? frame.replace(/"type"/, '"ty') : frame)),
    after: 'end',
  };
}

/** The second half of the last piece of a tool input is lost, and nothing else shows it. */
function truncatedInput(events: AnswerEvents): Broken {
  const last = events.findLastIndex(({ delta }) => pieceOf(delta) !== '');
  const cut = events.map((event, place) => {
    if (place !== last) return event;
    const piece = pieceOf(event['delta']);
    return { ...event, delta: { ...asJson(event['delta']), partial_json: piece.slice(0, piece.length / 2) } };
  });
  return { frames: wholeFrames(cut), after: 'end' };
}

function pieceOf(delta: unknown): string {
  const piece = asJson(delta)['partial_json'];
  return typeof piece === 'string' ? piece : '';
}

export const BROKEN_FAULTS = {
  lost_answer: {
    says: 'the server has answered, and the connection closes before the first byte',
    broken: () => cutAt([]),
  },
  cut: {
    says: 'the socket closes when all blocks have come, before the last counts',
    broken: (events) => cutAt(until(events, 'message_delta')),
  },
  cut_start: {
    says: 'the socket closes after the first event',
    broken: (events) => cutAt(wholeFrames(events.slice(0, 1))),
  },
  cut_half: { says: 'the socket closes in the middle of the answer', broken: (events) => cutAt(half(events)) },
  cut_frame: {
    says: 'the socket closes in the middle of an event',
    broken: (events) => cutAt([...half(events), '\nevent: content_block_delta\ndata: {"type":"content_bl']),
  },
  cut_end: {
    says: 'the socket closes between the last counts and the end',
    broken: (events) => cutAt(until(events, 'message_stop')),
  },
  short: {
    says: 'the stream ends properly, in the middle of the answer',
    broken: (events) => ({ frames: half(events), after: 'end' }),
  },
  mid_stream: {
    says: 'an error event in the middle of the answer',
    broken: (events) => ({ frames: [...half(events), OVERLOADED], after: 'end' }),
  },
  first_error: {
    says: 'an error event before the answer begins',
    broken: () => ({ frames: [OVERLOADED], after: 'end' }),
  },
  garbled: { says: 'an event whose JSON is damaged', broken: garbled },
  truncated_input: { says: 'the end of a tool input is lost, and the stop reason is tool_use', broken: truncatedInput },
  stall: {
    says: 'silence in the middle of the answer',
    broken: (events) => ({ frames: half(events), after: 'silence' }),
  },
  pings: {
    says: 'pings for ever in the middle of the answer',
    broken: (events) => ({ frames: half(events), after: 'pings' }),
  },
  late: {
    says: 'the answer begins 100 ms late',
    broken: (events) => ({ frames: wholeFrames(events), after: 'end', waitMs: 100 }),
  },
  bytes: {
    says: 'the answer comes byte by byte',
    broken: (events) => ({ frames: wholeFrames(events), after: 'end', inBytes: true }),
  },
  comments: {
    says: 'comments and events of an unknown name between the events',
    broken: (events) => ({
      frames: wholeFrames(events).flatMap((frame) => [
        ': keep-alive\n\n',
        frame,
        'event: heartbeat\ndata: {"type":"heartbeat"}\n\n',
      ]),
      after: 'end',
    }),
  },
} satisfies Record<string, Fault>;
