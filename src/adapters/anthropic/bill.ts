/** What a try without an answer has cost: one table, by how far the try came. */
import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { TryBill } from '../../ports/model.ts';
import type { Usage } from '../../transcript/message.ts';

/** `usage` as the wire brought it; `ended`: the last counts of the answer came too. */
export type TryProgress = { usage?: unknown; ended: boolean };

/** The connection was never made, so nothing was sent: the system's code, or the one of TLS. */
const NEVER_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_\w+)$/;

const BEFORE_TLS = /disconnected before secure TLS connection/;

/**
 * The API bills an answer that has begun and no error that comes in its place (docs/api-rules.md §3). A status that the
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
export function billOf(thrown: unknown, heard: TryProgress): TryBill {
  const counts = WireUsage.safeParse(heard.usage).data;
  if (counts !== undefined) {
    const usage = usageOf(counts);
    return heard.ended && isWhole(counts) ? { billed: 'known', usage } : { billed: 'unknown', usage };
  }
  const isFree = thrown instanceof APIConnectionError ? wasNeverSent(thrown) : isRefusalOfTheApi(thrown);
  return { billed: isFree ? 'none' : 'unknown' };
}

/** Time limits end what is at work, so the model may have been. */
const AT_WORK = new Set([408, 504]);

function isRefusalOfTheApi(thrown: unknown): boolean {
  if (!(thrown instanceof APIError) || thrown.status === undefined || AT_WORK.has(thrown.status)) return false;
  return thrown.status < 500 || thrown.type !== null;
}

function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Whatever its code: a connection that was not made, a name that was not found, a server that left before TLS was agreed.
  if ('syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo')) return true;
  // A network may also be lost under a connection that was made: the request was sent, and its answer was not read.
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
/** The usage of an answer as the wire brought it. */
export const WireUsage = z.object({
  ...COUNTS,
  cache_creation: z.object({ ephemeral_1h_input_tokens: count }).nullish(),
  iterations: z.array(z.object({ type: z.string(), ...COUNTS })).nullish(),
});
type WireUsage = z.infer<typeof WireUsage>;
type Counts = Omit<WireUsage, 'iterations' | 'cache_creation'>;

/** What is cached may be absent, where nothing is; what went in and came out is always counted. */
export function isWhole(usage: unknown): boolean {
  const { input_tokens, output_tokens } = WireUsage.safeParse(usage).data ?? {};
  return input_tokens !== undefined && output_tokens !== undefined;
}

/** What decides on the price, and nothing that is as usual. */
export function usageOf({ iterations, cache_creation: written, ...counts }: WireUsage): Usage {
  const compacted = iterations?.some(({ type }) => type === 'compaction') === true;
  const hourly = written?.ephemeral_1h_input_tokens ?? 0;
  return {
    ...zeroed(counts),
    ...(compacted ? { iterations: iterations.map(({ type, ...one }) => ({ type, ...zeroed(one) })) } : {}),
    ...(hourly > 0 ? { cache_creation: { ephemeral_1h_input_tokens: hourly } } : {}),
  };
}

function zeroed(counts: Counts): Usage {
  return {
    input_tokens: counts.input_tokens ?? 0,
    cache_creation_input_tokens: counts.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: counts.cache_read_input_tokens ?? 0,
    output_tokens: counts.output_tokens ?? 0,
  };
}
