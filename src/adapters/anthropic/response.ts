/** The API's answer in the harness's own shape: every field of every block, as the wire brought it. */
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { ModelResponse } from '../../ports/model.ts';
import { MOST_LEVELS, shapeFault } from '../../scenario/json/json-value.ts';
import { isWellFormed } from '../../transcript/block-fault.ts';
import { Block, KnownStopReason, StopReason, type Usage } from '../../transcript/message.ts';
import { toUsage, WireUsage } from './failed-try-bill.ts';
import type { StreamedMessage, WireObject } from './read-stream.ts';

/** Blocks that are sent back exactly as they were received, or not at all. */
const SIGNED_BLOCKS = new Set(['thinking', 'redacted_thinking', 'compaction']);
/** The kinds of blocks that the harness handles; all others are sent back unchanged. */
const KNOWN_BLOCKS = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use', 'compaction']);

export type ReadResponse = {
  response: ModelResponse;
  /** Things in the answer that this version does not know, in words: a kind of block, a stop reason. */
  news: string[];
};

/**
 * Contract: `model_unavailable` for an answer that is damaged: a known block without what belongs to it, no stop reason.
 * Blank text blocks are left out, since the API refuses them when they come back (docs/internals/api-rules.md §2.2).
 */
export function toModelResponse(message: StreamedMessage, requestId: string | undefined): ReadResponse {
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

const AnswerUsage = WireUsage.extend({ service_tier: z.string().nullish() });

function readUsage(wire: WireObject, requestId: string | undefined): Usage {
  const counted = AnswerUsage.safeParse(wire);
  if (!counted.success) throw createDamagedError(`its usage: ${counted.error.issues[0]?.message}`, requestId);
  const { service_tier: tier, ...counts } = counted.data;
  return { ...toUsage(counts), ...(tier === 'batch' ? { service_tier: tier } : {}) };
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
  return new HarnessError('model_unavailable', `The answer of the model arrived damaged: ${how.slice(0, 300)}.`, {
    retryable: true,
    details: { type: 'damaged_answer', ...(requestId === undefined ? {} : { requestId }) },
  });
}
