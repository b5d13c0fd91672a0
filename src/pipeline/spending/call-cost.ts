/** What a call costs: at the worst before it is made, for sure and perhaps when a try of it failed, and what it needs at least. */
import { costOf, type ModelFacts, type ModelRequest, type TryBill } from '../../ports/model.ts';
import type { SpendRecord } from '../../ports/run-store.ts';
import { imageBlocks } from '../../transcript/images.ts';
import { NO_USAGE, type Usage } from '../../transcript/message.ts';

/** More than the API counts for any image (docs/api-rules.md §2.7). */
const IMAGE_TOKENS = 6_000;
/** No text has more tokens than half its bytes; the tokenizers of the API make one of three to four. */
const BYTES_PER_TOKEN = 2;

/** `inBatches`: every call of it, so nothing costs more than half. */
export type PricedModel = Pick<ModelFacts, 'price'> & { inBatches?: boolean };

/** Every input token written to the cache, every output token used: nothing can cost more than this. */
export function worstCase(
  request: ModelRequest,
  { price, inBatches = false }: PricedModel,
  maxTokens = request.max_tokens,
): number {
  return costOf({ ...worstInput(request, inBatches), output_tokens: maxTokens }, price);
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

/** An hour in the cache costs more than five minutes: one mark of it counts for all, and in a batch all are. */
function worstInput(request: ModelRequest, inBatches: boolean): Usage {
  const { system, tools, messages } = request;
  const text = JSON.stringify({ system, tools, messages });
  const images = messages.flatMap((message) => imageBlocks(message));
  // The bytes of an image are no text.
  const pictures = images.reduce((sum, { source }) => sum + (source.type === 'base64' ? source.data.length : 0), 0);
  const tokens = Math.ceil((byteLength(text) - pictures) / BYTES_PER_TOKEN) + images.length * IMAGE_TOKENS;
  const hourly =
    inBatches || text.includes('"ttl":"1h"') ? { cache_creation: { ephemeral_1h_input_tokens: tokens } } : {};
  return {
    ...NO_USAGE,
    cache_creation_input_tokens: tokens,
    ...hourly,
    ...(inBatches ? { service_tier: 'batch' } : {}),
  };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
