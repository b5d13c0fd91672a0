/** What a call costs: at the worst before it is made, for sure and perhaps when a try of it failed, and what it needs at least. */
import { costOf, type ModelFacts, type ModelRequest, type TryBill } from '../../ports/model.ts';
import type { SpendRecord } from '../../ports/run-store.ts';
import { imageBlocks } from '../../transcript/images.ts';
import { NO_USAGE, type Usage } from '../../transcript/message.ts';

/** More than the API counts for any image (docs/api-rules.md §2.7). */
const IMAGE_TOKENS = 6_000;
/** More than the API writes into a request by itself, to explain what a call of a tool looks like. */
const TOOL_PROMPT_TOKENS = 1_000;

/** `inBatches`: every call of it, so nothing costs more than half. `inputAtMost`: tokens, where more is known than the bytes. */
export type PricedModel = Pick<ModelFacts, 'price' | 'window'> & { inBatches?: boolean; inputAtMost?: number };

/** Every input token billed at the dearest rate, every output token used: nothing can cost more than this. */
export function worstCase(request: ModelRequest, facts: PricedModel, maxTokens = request.max_tokens): number {
  const costs = worstInputs(request, facts).map((input) => costOf({ ...input, output_tokens: maxTokens }, facts.price));
  return Math.max(...costs);
}

/** How much may come out of the call when it costs at most `usd`; never more than the request asks for. */
export function outputWithin(usd: number, request: ModelRequest, facts: PricedModel): number {
  const input = worstCase(request, facts, 0);
  const perToken = worstCase(request, facts, 1) - input;
  const tokens = perToken > 0 ? Math.floor((usd - input) / perToken + 1e-6) : request.max_tokens;
  return Math.max(0, Math.min(request.max_tokens, tokens));
}

/**
 * | the provider bills | surely | perhaps beyond it |
 * |---|---|---|
 * | nothing | 0 | 0 |
 * | what it said, to the end | that | 0 |
 * | at least what it said | that | the output that was still allowed; of a compaction, which is counted apart, all |
 * | nobody knows | 0 | the worst case |
 */
export function costOfTry(
  bill: TryBill,
  reservedUsd: number,
  { request, facts, maxTokens }: { request: ModelRequest; facts: PricedModel; maxTokens: number },
): { usd: number; uncertainUsd: number; usage?: Usage | undefined } {
  if (bill.billed === 'none') return { usd: 0, uncertainUsd: 0 };
  const { usage } = bill;
  if (usage === undefined) return { usd: 0, uncertainUsd: reservedUsd };
  const usd = costOf(usage, facts.price);
  if (bill.billed === 'known') return { usd, uncertainUsd: 0, usage };
  const whole = { ...usage, output_tokens: Math.max(maxTokens, usage.output_tokens) };
  const isCounted = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens > 0;
  const most = isCounted && request.compaction === undefined ? costOf(whole, facts.price) : reservedUsd;
  return { usd, uncertainUsd: Math.max(0, most - usd), usage };
}

/** Fewer answers say too little about the next one. */
const LEAST_HISTORY = 8;
const QUANTILE = 0.95;
const MARGIN = 1.5;
const LEAST_OUTPUT = 1024;

/**
 * Output for which 95 of 100 answers of this agent had room, and half as much again. Undefined while too few are known, and
 * for a compaction, which is as long as what it replaces.
 */
export function usualOutput(
  records: readonly SpendRecord[],
  { agent, request }: { agent: string; request: ModelRequest },
): number | undefined {
  const outputs = records
    .filter((record) => record.agent === agent && record.model === request.model)
    .flatMap(({ usage }) => usage?.output_tokens ?? [])
    .toSorted((one, other) => one - other);
  if (outputs.length < LEAST_HISTORY || request.compaction !== undefined) return undefined;
  const high = outputs[Math.ceil(outputs.length * QUANTILE) - 1] ?? 0;
  return Math.min(request.max_tokens, Math.max(LEAST_OUTPUT, Math.ceil(high * MARGIN)));
}

/** The whole input as each kind that it may be billed as; an hour in the cache where a mark asks for one, and in a batch. */
function worstInputs(request: ModelRequest, { window, inBatches = false, inputAtMost = window }: PricedModel): Usage[] {
  const { system, tools, messages, compaction } = request;
  const text = JSON.stringify({ system, tools, messages, compaction });
  const input = { ...NO_USAGE, ...(inBatches ? { service_tier: 'batch' as const } : {}) };
  const tokens = Math.min(window, inputAtMost, mostTokens(request, text));
  const written = { ...input, cache_creation_input_tokens: tokens };
  const isHourly = inBatches || text.includes('"ttl":"1h"');
  return [
    { ...input, input_tokens: tokens },
    isHourly ? { ...written, cache_creation: { ephemeral_1h_input_tokens: tokens } } : written,
  ];
}

/** No token is shorter than a byte, and lists of digits have one for each. Of input beyond the window nothing is billed. */
function mostTokens({ messages, tools }: ModelRequest, text: string): number {
  const images = messages.flatMap((message) => imageBlocks(message));
  // The bytes of an image are no text.
  const pictures = images.reduce((sum, { source }) => sum + (source.type === 'base64' ? source.data.length : 0), 0);
  const own = images.length * IMAGE_TOKENS + (tools.length > 0 ? TOOL_PROMPT_TOKENS : 0);
  return byteLength(text) - pictures + own;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
