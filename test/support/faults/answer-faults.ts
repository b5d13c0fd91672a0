/** Faults of the answer itself: the API may give each of them, and a harness must do something with it. */
import { asJson, type AnswerEvents, type JsonRecord } from './events.ts';
import type { Fault } from './fault.ts';
import { FUTURE_BLOCK, FUTURE_FIELD } from './unknown-fields.ts';

const isBlock = ({ type }: JsonRecord): boolean => String(type).startsWith('content_block');

/** `message_delta` with another reason; `details` as the API gives them with a refusal. */
function stopsWith(events: AnswerEvents, reason: string, details?: JsonRecord): AnswerEvents {
  return events.map((event) =>
    event['type'] === 'message_delta'
      ? {
          ...event,
          delta: { ...asJson(event['delta']), stop_reason: reason, ...(details && { stop_details: details }) },
        }
      : event,
  );
}

const withoutBlocks = (events: AnswerEvents): AnswerEvents => events.filter((event) => !isBlock(event));

/** The last block ends in its middle. */
function cutLastBlock(events: AnswerEvents): AnswerEvents {
  const pieces = events.flatMap(({ type }, place) => (type === 'content_block_delta' ? [place] : []));
  const last = events[pieces.at(-1) ?? -1]?.['index'];
  const mine = pieces.filter((place) => events[place]?.['index'] === last);
  const dropped = new Set(mine.slice(Math.ceil(mine.length / 2)));
  return events.filter((_, place) => !dropped.has(place));
}

function mapBlocks(events: AnswerEvents, change: (block: JsonRecord) => JsonRecord): AnswerEvents {
  return events.map((event) =>
    event['type'] === 'content_block_start'
      ? { ...event, content_block: change(asJson(event['content_block'])) }
      : event,
  );
}

/** Another block behind the others, whole where it starts. */
function withBlock(events: AnswerEvents, block: JsonRecord): AnswerEvents {
  const index = events.filter(({ type }) => type === 'content_block_start').length;
  const end = events.findIndex(({ type }) => type === 'message_delta');
  const added = [
    { type: 'content_block_start', index, content_block: block },
    { type: 'content_block_stop', index },
  ];
  return [...events.slice(0, end), ...added, ...events.slice(end)];
}

/** The id of a call that the conversation holds already; in a conversation without one, the answer stays as it is. */
function repeatedId(events: AnswerEvents, request: JsonRecord): AnswerEvents {
  const messages = Array.isArray(request['messages']) ? request['messages'].map(asJson) : [];
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content.map(asJson) : []));
  const id = blocks.find(({ type }) => type === 'tool_use')?.['id'];
  return id === undefined
    ? events
    : mapBlocks(events, (block) => (block['type'] === 'tool_use' ? { ...block, id } : block));
}

function withUsage(events: AnswerEvents, change: (usage: JsonRecord) => unknown): AnswerEvents {
  return events.map((event) => {
    if (event['type'] === 'message_delta') return { ...event, usage: change(asJson(event['usage'])) };
    const message = asJson(event['message']);
    return event['type'] === 'message_start'
      ? { ...event, message: { ...message, usage: change(asJson(message['usage'])) } }
      : event;
  });
}

const SERVER_CALL = { type: 'server_tool_use', id: 'srvtoolu_relay', name: 'web_search', input: { query: 'how' } };
const REFUSAL = { type: 'refusal', category: 'cyber', explanation: 'Simulated: this request looks like an attack.' };

export const ANSWER_FAULTS = {
  refusal: {
    says: 'the model refuses, with details',
    answer: (events) => stopsWith(withoutBlocks(events), 'refusal', REFUSAL),
  },
  empty: { says: 'end_turn without content', answer: (events) => stopsWith(withoutBlocks(events), 'end_turn') },
  max_tokens: {
    says: 'the last block is cut by max_tokens',
    answer: (events) => stopsWith(cutLastBlock(events), 'max_tokens'),
  },
  pause_turn: {
    says: 'the server pauses the turn at a call of its own',
    answer: (events) => stopsWith(withBlock(withoutBlocks(events), SERVER_CALL), 'pause_turn'),
  },
  window: {
    says: 'the answer does not fit into the window',
    answer: (events) => stopsWith(cutLastBlock(events), 'model_context_window_exceeded'),
  },
  duplicate_id: { says: 'the id of an earlier tool call once more', answer: repeatedId },
  new_stop: {
    says: 'a stop reason that is new to the client',
    answer: (events) => stopsWith(events, 'future_stop_reason'),
  },
  new_field: {
    says: 'a field in every block that is new to the client, and must come back',
    answer: (events) =>
      mapBlocks(events, (block) => ({ ...block, [FUTURE_FIELD]: { sealed: true, of: block['type'] } })),
  },
  new_block: {
    says: 'a block of a kind that is new to the client, and must come back',
    answer: (events) => withBlock(events, { type: FUTURE_BLOCK, note: { text: 'kept', weight: 1.5 } }),
  },
  blank_text: { says: 'a text block without text', answer: (events) => withBlock(events, { type: 'text', text: '' }) },
  null_usage: {
    says: 'counts of tokens that are null',
    answer: (events) => withUsage(events, (usage) => Object.fromEntries(Object.keys(usage).map((key) => [key, null]))),
  },
  no_usage: { says: 'no usage at all', answer: (events) => withUsage(events, () => null) },
} satisfies Record<string, Fault>;
