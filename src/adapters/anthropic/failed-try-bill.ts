/** Computes what a try without a usable answer has cost, by how far the try came. */
import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { TryBill } from '../../ports/model.ts';
import type { Usage } from '../../transcript/message.ts';

/** `usage` as it was received; `ended`: the final counts of the answer were received too. */
export type TryProgress = { usage?: unknown; ended: boolean };

/** Error codes of a connection that was never made, from the system or from TLS: nothing was sent. */
const NEVER_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_\w+)$/;

const BEFORE_TLS = /disconnected before secure TLS connection/;

/**
 * The API bills an answer that has begun and no error that comes in its place (docs/internals/api-rules.md §3). A status that the
 * API does not use, or a body that is not its own, is a gateway's: what lies behind it may have answered.
 *
 * | the try came to | billed |
 * |---|---|
 * | no connection | none |
 * | an error of the API instead of an answer: 4xx, 500, 529 | none |
 * | 408, 504, a gateway's 5xx, a connection lost before an answer | unknown, nothing of it is known |
 * | an answer that broke off | unknown, at least what `message_start` said |
 * | an answer with its last counts, that cannot be used | known |
 */
export function billFailedTry(thrown: unknown, heard: TryProgress): TryBill {
  const counts = WireUsage.safeParse(heard.usage).data;
  if (counts !== undefined) {
    const usage = toUsage(counts);
    return heard.ended && isWhole(counts) ? { billed: 'known', usage } : { billed: 'unknown', usage };
  }
  const isFree = thrown instanceof APIConnectionError ? wasNeverSent(thrown) : isRefusalOfTheApi(thrown);
  return { billed: isFree ? 'none' : 'unknown' };
}

/** Statuses of time limits, which may interrupt a model at work. */
const TIMEOUT_STATUSES = new Set([408, 504]);

function isRefusalOfTheApi(thrown: unknown): boolean {
  if (!(thrown instanceof APIError) || thrown.status === undefined || TIMEOUT_STATUSES.has(thrown.status)) return false;
  return thrown.status < 500 || thrown.type !== null;
}

function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Nothing was sent when the connection or the name lookup failed, or the server left before TLS was agreed.
  if ('syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo')) return true;
  // A read or write error belongs to a connection that was made: the request was sent, and its answer was lost.
  if ('syscall' in error && (error.syscall === 'read' || error.syscall === 'write')) return false;
  if ('code' in error && typeof error.code === 'string' && NEVER_SENT.test(error.code)) return true;
  if (BEFORE_TLS.test(error.message)) return true;
  const inner = error instanceof AggregateError ? error.errors : [];
  return inner.length > 0 ? inner.every(wasNeverSent) : wasNeverSent(error.cause);
}

const count = z
  .int()
  .nonnegative()
  .nullish()
  .transform((value) => value ?? undefined);
const COUNTS = {
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
};
/** The usage of an answer as it was received. */
export const WireUsage = z.object({
  ...COUNTS,
  cache_creation: z.object({ ephemeral_1h_input_tokens: count }).nullish(),
  iterations: z.array(z.object({ type: z.string(), ...COUNTS })).nullish(),
});
type WireUsage = z.infer<typeof WireUsage>;
type TokenCounts = Omit<WireUsage, 'iterations' | 'cache_creation'>;

/** Cache counts may be absent when nothing is cached; input and output tokens are always counted. */
export function isWhole(usage: unknown): boolean {
  const { input_tokens, output_tokens } = WireUsage.safeParse(usage).data ?? {};
  return input_tokens !== undefined && output_tokens !== undefined;
}

/** Keeps the counts that decide on the price and leaves out members that have their usual value. */
export function toUsage({ iterations, cache_creation: written, ...counts }: WireUsage): Usage {
  const compacted = iterations?.some(({ type }) => type === 'compaction') === true;
  const hourly = written?.ephemeral_1h_input_tokens ?? 0;
  return {
    ...withZeroCounts(counts),
    ...(compacted ? { iterations: iterations.map(({ type, ...one }) => ({ type, ...withZeroCounts(one) })) } : {}),
    ...(hourly > 0 ? { cache_creation: { ephemeral_1h_input_tokens: hourly } } : {}),
  };
}

function withZeroCounts(counts: TokenCounts): Usage {
  return {
    input_tokens: counts.input_tokens ?? 0,
    cache_creation_input_tokens: counts.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: counts.cache_read_input_tokens ?? 0,
    output_tokens: counts.output_tokens ?? 0,
  };
}
