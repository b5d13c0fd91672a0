/** A response as the events of a stream, and as one body (docs/api-rules.md §4). */
import type { Reply, ReplyBlock } from './reply.ts';

/** `data.type` repeats the event's name; without its `event:` line an event is lost on the client. */
export type StreamEvent = { type: string } & Record<string, unknown>;

const UNUSED = { container: null, diagnostics: null };
const UNBILLED = { server_tool_use: null, service_tier: 'standard', inference_geo: null, speed: null };
/** At most so many pieces to a block, however long it is. */
const MAX_PIECES = 12;
const MIN_PIECE = 24;

export function messageBody(reply: Reply): Record<string, unknown> {
  return {
    ...envelope(reply),
    content: reply.content.map(({ block }) => block),
    ...reply.stop,
    usage: { ...reply.usage, ...UNBILLED },
  };
}

function envelope({ id, model, transformations }: Reply): Record<string, unknown> {
  const reported = transformations === undefined ? {} : { input_transformations: transformations };
  return { id, type: 'message', role: 'assistant', model, ...UNUSED, ...reported };
}

export function* streamEvents(reply: Reply): Generator<StreamEvent> {
  yield { type: 'message_start', message: startOf(reply) };
  for (const [index, { block, json }] of reply.content.entries()) {
    yield { type: 'content_block_start', index, content_block: openBlock(block) };
    if (index === 0) yield { type: 'ping' };
    for (const delta of deltasOf(block, json)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const { cache_creation: _, ...totals } = reply.usage;
  yield {
    type: 'message_delta',
    delta: { ...reply.stop, container: null },
    usage: { ...totals, server_tool_use: null },
  };
  yield { type: 'message_stop' };
}

/** Nothing is known yet but the input. */
function startOf(reply: Reply): Record<string, unknown> {
  return {
    ...envelope(reply),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: { ...reply.usage, output_tokens: 1, output_tokens_details: null, ...UNBILLED },
  };
}

function openBlock(block: ReplyBlock): Record<string, unknown> {
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  if (block.type === 'compaction') return { ...block, content: null, encrypted_content: null };
  return block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
}

/** The signature comes last, just before the block stops; a tool's input begins with an empty piece. */
function deltasOf(block: ReplyBlock, json = ''): Record<string, unknown>[] {
  if (block.type === 'text') return pieces(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'tool_use') {
    return ['', ...pieces(json)].map((partial) => ({ type: 'input_json_delta', partial_json: partial }));
  }
  // The whole of it at once (docs/api-rules.md §4).
  if (block.type === 'compaction')
    return [{ type: 'compaction_delta', content: block.content, encrypted_content: block.encrypted_content }];
  return [
    ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: block.signature },
  ];
}

/** Never through the middle of a character. */
function pieces(text: string): string[] {
  const size = Math.max(MIN_PIECE, Math.ceil(text.length / MAX_PIECES));
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? [];
}
