/** Faults on the way: the server's answer is right, and its bytes are cut, delayed or damaged. */
import { asJson, formatFrame, type AnswerEvents } from './events.ts';
import type { BrokenStream, Fault } from './fault.ts';

const OVERLOADED = formatFrame({
  type: 'error',
  error: { type: 'overloaded_error', message: 'Overloaded' },
  request_id: 'req_fault',
});

const toFrames = (events: AnswerEvents): string[] => events.map(formatFrame);
const takeFramesBefore = (events: AnswerEvents, type: string): string[] =>
  toFrames(
    events.slice(
      0,
      events.findIndex((event) => event['type'] === type),
    ),
  );

/** Takes the events up to the middle of the answer's deltas. */
function takeFirstHalf(events: AnswerEvents): string[] {
  const places = events.flatMap(({ type }, place) => (type === 'content_block_delta' ? [place] : []));
  return toFrames(events.slice(0, (places[Math.floor(places.length / 2)] ?? 1) + 1));
}

const dropAfter = (frames: string[]): BrokenStream => ({ frames, after: 'drop' });

/** Breaks the JSON of one event. */
function garbleEvent(events: AnswerEvents): BrokenStream {
  const place = Math.max(
    1,
    events.findIndex(({ type }) => type === 'content_block_delta'),
  );
  return {
    frames: toFrames(events).map((frame, index) => (index === place ? frame.replace(/"type"/, '"ty') : frame)),
    after: 'end',
  };
}

/** The second half of the last piece of a tool input is lost, and nothing else shows it. */
function truncateInput(events: AnswerEvents): BrokenStream {
  const last = events.findLastIndex(({ delta }) => readInputPiece(delta) !== '');
  const cut = events.map((event, place) => {
    if (place !== last) return event;
    const piece = readInputPiece(event['delta']);
    return { ...event, delta: { ...asJson(event['delta']), partial_json: piece.slice(0, piece.length / 2) } };
  });
  return { frames: toFrames(cut), after: 'end' };
}

function readInputPiece(delta: unknown): string {
  const piece = asJson(delta)['partial_json'];
  return typeof piece === 'string' ? piece : '';
}

export const BROKEN_FAULTS = {
  lost_answer: {
    says: 'the server has answered, and the connection closes before the first byte',
    broken: () => dropAfter([]),
  },
  cut: {
    says: 'the socket closes when all blocks have come, before the last counts',
    broken: (events) => dropAfter(takeFramesBefore(events, 'message_delta')),
  },
  cut_start: {
    says: 'the socket closes after the first event',
    broken: (events) => dropAfter(toFrames(events.slice(0, 1))),
  },
  cut_half: {
    says: 'the socket closes in the middle of the answer',
    broken: (events) => dropAfter(takeFirstHalf(events)),
  },
  cut_frame: {
    says: 'the socket closes in the middle of an event',
    broken: (events) =>
      dropAfter([...takeFirstHalf(events), '\nevent: content_block_delta\ndata: {"type":"content_bl']),
  },
  cut_end: {
    says: 'the socket closes between the last counts and the end',
    broken: (events) => dropAfter(takeFramesBefore(events, 'message_stop')),
  },
  short: {
    says: 'the stream ends properly, in the middle of the answer',
    broken: (events) => ({ frames: takeFirstHalf(events), after: 'end' }),
  },
  mid_stream: {
    says: 'an error event in the middle of the answer',
    broken: (events) => ({ frames: [...takeFirstHalf(events), OVERLOADED], after: 'end' }),
  },
  first_error: {
    says: 'an error event before the answer begins',
    broken: () => ({ frames: [OVERLOADED], after: 'end' }),
  },
  garbled: { says: 'an event whose JSON is damaged', broken: garbleEvent },
  truncated_input: { says: 'the end of a tool input is lost, and the stop reason is tool_use', broken: truncateInput },
  stall: {
    says: 'silence in the middle of the answer',
    broken: (events) => ({ frames: takeFirstHalf(events), after: 'silence' }),
  },
  pings: {
    says: 'pings for ever in the middle of the answer',
    broken: (events) => ({ frames: takeFirstHalf(events), after: 'pings' }),
  },
  late: {
    says: 'the answer begins 100 ms late',
    broken: (events) => ({ frames: toFrames(events), after: 'end', waitMs: 100 }),
  },
  bytes: {
    says: 'the answer comes byte by byte',
    broken: (events) => ({ frames: toFrames(events), after: 'end', inBytes: true }),
  },
  comments: {
    says: 'comments and events of an unknown name between the events',
    broken: (events) => ({
      frames: toFrames(events).flatMap((frame) => [
        ': keep-alive\n\n',
        frame,
        'event: heartbeat\ndata: {"type":"heartbeat"}\n\n',
      ]),
      after: 'end',
    }),
  },
} satisfies Record<string, Fault>;
