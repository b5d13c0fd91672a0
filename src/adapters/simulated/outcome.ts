/** Formats the HTTP response to one request, whole or with a planned fault. */
import { type ApiError, errorBody, invalidRequest } from './request/refusal.ts';
import type { Reply, ReplyBlock } from './reply.ts';
import type { FaultKind, InjectedFault } from './scripts/script.ts';

export type HttpOutcome = {
  status: number;
  headers: Record<string, string>;
  chunks: Iterable<string>;
  /** True when the socket is closed after the last chunk, without an end. */
  hangUp: boolean;
};

/** Sent with every response, so that it is not mistaken for the real API. */
export const SIMULATOR_HEADER = { 'tandem-simulator': '1' } as const;
const JSON_TYPE = { 'content-type': 'application/json' };

export function jsonOutcome(
  body: Record<string, unknown>,
  status = 200,
  headers: Record<string, string> = {},
): HttpOutcome {
  return { status, headers: { ...JSON_TYPE, ...headers }, chunks: [JSON.stringify(body)], hangUp: false };
}

/** With `isCut`, half of the body and no end. */
export function wholeOutcome(body: Record<string, unknown>, isCut: boolean): HttpOutcome {
  const outcome = jsonOutcome(body);
  const [text = ''] = outcome.chunks;
  return isCut ? { ...outcome, chunks: [text.slice(0, text.length / 2)], hangUp: true } : outcome;
}

export function streamOutcome(chunks: Iterable<string>, hangUp: boolean): HttpOutcome {
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
  return { status: 200, headers, chunks, hangUp };
}

/** The format in which an endpoint answers and refuses. */
export type AnswerFormat = {
  refusal: (refusal: ApiError, requestId: string) => HttpOutcome;
  reply: (reply: Reply, streamed: boolean, how: ReplyTerms) => HttpOutcome;
};
type ReplyTerms = { requestId: string; fault?: FaultKind | undefined };

export type ListPage = { data: unknown[]; has_more: boolean; first_id: string | null; last_id: string | null };

/** Cuts a list as the API does: `limit` items after or before one of them. */
export function listPage<Item extends { id: string }>(
  all: readonly Item[],
  query: URLSearchParams,
  describe: (item: Item) => unknown,
): ListPage | ApiError {
  const limit = Number(query.get('limit') ?? '20');
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    return invalidRequest('limit: Input should be between 1 and 1000');
  const at = (name: string): number => all.findIndex(({ id }) => id === query.get(name));
  const isBackward = query.has('before_id');
  const start = isBackward ? Math.max(at('before_id') - limit, 0) : at('after_id') + 1;
  const page = all.slice(start, isBackward ? Math.max(at('before_id'), 0) : start + limit);
  return {
    data: page.map(describe),
    has_more: isBackward ? start > 0 : start + limit < all.length,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

export function refusalOutcome(refusal: ApiError, requestId: string): HttpOutcome {
  const { retryAfterSeconds: seconds } = refusal;
  const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return jsonOutcome(errorBody(refusal, requestId), refusal.status, headers);
}

/** Without a stream, an error in mid-response can only be a status, and a cut only an incomplete body. */
export function replyOutcome(reply: Reply, streamed: boolean, { requestId, fault }: ReplyTerms): HttpOutcome {
  if (streamed) {
    const chunks = eventLines(breakOff(streamEvents(reply), requestId, fault));
    return streamOutcome(chunks, fault === 'cut');
  }
  if (fault === 'mid_stream') return refusalOutcome(OVERLOADED, requestId);
  return wholeOutcome(messageBody(reply), fault === 'cut');
}

function* breakOff(events: Iterable<StreamEvent>, requestId: string, fault?: FaultKind): Generator<StreamEvent> {
  for (const event of events) {
    // Cuts before the end in any case, because a response may have no block.
    if (fault === 'cut' && event.type === 'message_delta') return;
    if (
      fault === 'mid_stream' &&
      (event.type === 'message_delta' || (event.type === 'content_block_start' && event['index'] === 1))
    ) {
      yield { ...errorBody(OVERLOADED, requestId), type: 'error' };
      return;
    }
    yield event;
  }
}

function* eventLines(events: Iterable<StreamEvent>): Generator<string> {
  for (const event of events) yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** `data.type` repeats the event's name; a client drops an event without its `event:` line. */
type StreamEvent = { type: string } & Record<string, unknown>;

const UNUSED = { container: null, diagnostics: null };
const UNBILLED = { service_tier: 'standard', inference_geo: null, speed: null };
/** The most pieces of one block, however long it is. */
const MAX_PIECES = 12;
const MIN_PIECE = 24;

function messageBody(reply: Reply): Record<string, unknown> {
  return {
    ...buildMessageHead(reply),
    content: reply.content.map(({ block }) => block),
    ...reply.stop,
    usage: { ...reply.usage, ...UNBILLED },
  };
}

function buildMessageHead({ id, model, transformations }: Reply): Record<string, unknown> {
  const reported = transformations === undefined ? {} : { input_transformations: transformations };
  return { id, type: 'message', role: 'assistant', model, ...UNUSED, ...reported };
}

function* streamEvents(reply: Reply): Generator<StreamEvent> {
  yield { type: 'message_start', message: buildStartMessage(reply) };
  for (const [index, { block, json }] of reply.content.entries()) {
    yield { type: 'content_block_start', index, content_block: openBlock(block) };
    if (index === 0) yield { type: 'ping' };
    for (const delta of listDeltas(block, json)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const { cache_creation: _, ...totals } = reply.usage;
  yield {
    type: 'message_delta',
    delta: { ...reply.stop, container: null },
    usage: totals,
  };
  yield { type: 'message_stop' };
}

/** The message as known at the start: only the input tokens. */
function buildStartMessage(reply: Reply): Record<string, unknown> {
  return {
    ...buildMessageHead(reply),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: { ...reply.usage, output_tokens: 1, output_tokens_details: null, server_tool_use: null, ...UNBILLED },
  };
}

function openBlock(block: ReplyBlock): Record<string, unknown> {
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  if (block.type === 'compaction') return { ...block, content: null, encrypted_content: null };
  if (block.type === 'web_search_tool_result') return block;
  return block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
}

/** The signature comes last, just before the block stops; a tool's input begins with an empty piece. */
function listDeltas(block: ReplyBlock, json = ''): Record<string, unknown>[] {
  if (block.type === 'text') return splitText(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'web_search_tool_result') return [];
  if (block.type === 'tool_use' || block.type === 'server_tool_use') {
    return ['', ...splitText(json)].map((partial) => ({ type: 'input_json_delta', partial_json: partial }));
  }
  // A compaction is sent in one piece (docs/internals/api-rules.md §4).
  if (block.type === 'compaction')
    return [{ type: 'compaction_delta', content: block.content, encrypted_content: block.encrypted_content }];
  return [
    ...splitText(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: block.signature },
  ];
}

/** Splits between characters, never within one. */
function splitText(text: string): string[] {
  const size = Math.max(MIN_PIECE, Math.ceil(text.length / MAX_PIECES));
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? [];
}

export type FaultPlan = {
  /** Counts a request, and returns its number since the server started. */
  arrive(): number;
  /** Returns the fault that is due for a request that a script is about to answer. */
  take(request: number, who: string): FaultKind | undefined;
};

/** The plan of injected faults: which fault happens when. Every planned fault happens once. */
export function createFaultPlan(faults: readonly InjectedFault[]): FaultPlan {
  const waiting = [...faults];
  const answered = new Map<string, number>();
  let arrived = 0;
  return {
    arrive: () => (arrived += 1),
    take(request, who) {
      const nth = (answered.get(who) ?? 0) + 1;
      answered.set(who, nth);
      // Compares with "at least", because a request refused by a rule does not use a fault up.
      const due = waiting.findIndex((fault) =>
        'at' in fault ? request >= fault.at : fault.who === who && nth >= fault.nth,
      );
      return due === -1 ? undefined : waiting.splice(due, 1)[0]?.kind;
    },
  };
}

/** Returns the error for faults that replace an answer. */
export function toFaultError(kind: FaultKind): ApiError | undefined {
  if (kind === '429') {
    return { status: 429, type: 'rate_limit_error', message: 'Simulated: too many requests', retryAfterSeconds: 1 };
  }
  if (kind === '500') return { status: 500, type: 'api_error', message: 'Simulated: internal server error' };
  return kind === '529' ? OVERLOADED : undefined;
}

const OVERLOADED: ApiError = { status: 529, type: 'overloaded_error', message: 'Simulated: overloaded' };
