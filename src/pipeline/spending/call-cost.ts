/** Computes what a call costs: at worst before it is made, surely and possibly after a failed try, and its usual need. */
import { computeCost, type ModelFacts, type ModelRequest, type TryBill } from '../../ports/model.ts';
import type { SpendRecord } from '../../ports/run-store.ts';
import { listImageBlocks } from '../../transcript/images.ts';
import { NO_USAGE, type Usage } from '../../transcript/message.ts';

/** Upper bound of the tokens that the API counts for an image (docs/internals/api-rules.md §2.7). */
const IMAGE_TOKENS = 6_000;
/** Upper bound of the tokens that the API adds to a request to explain tool calls. */
const TOOL_PROMPT_TOKENS = 1_000;

/** `inBatches`: all calls are batched, at half price. `inputAtMost`: a token bound tighter than the number of bytes. */
export type PricedModel = Pick<ModelFacts, 'price' | 'window'> & { inBatches?: boolean; inputAtMost?: number };

/** Bills every input token at the dearest rate and all allowed output, so nothing can cost more than this. */
export function computeWorstCase(request: ModelRequest, facts: PricedModel, maxTokens = request.max_tokens): number {
  const costs = listWorstInputs(request, facts).map((input) =>
    computeCost({ ...input, output_tokens: maxTokens }, facts.price),
  );
  return Math.max(...costs);
}

/** Returns how much output fits into `usd`; never more than the request asks for. */
export function computeOutputCap(usd: number, request: ModelRequest, facts: PricedModel): number {
  const input = computeWorstCase(request, facts, 0);
  const perToken = computeWorstCase(request, facts, 1) - input;
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
export function computeTryCost(
  bill: TryBill,
  reservedUsd: number,
  { request, facts, maxTokens }: { request: ModelRequest; facts: PricedModel; maxTokens: number },
): { usd: number; uncertainUsd: number; usage?: Usage | undefined } {
  if (bill.billed === 'none') return { usd: 0, uncertainUsd: 0 };
  const { usage } = bill;
  if (usage === undefined) return { usd: 0, uncertainUsd: reservedUsd };
  const usd = computeCost(usage, facts.price);
  if (bill.billed === 'known') return { usd, uncertainUsd: 0, usage };
  const whole = { ...usage, output_tokens: Math.max(maxTokens, usage.output_tokens) };
  const isCounted = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens > 0;
  const most = isCounted && request.compaction === undefined ? computeCost(whole, facts.price) : reservedUsd;
  return { usd, uncertainUsd: Math.max(0, most - usd), usage };
}

/** Below this number of answers, history says too little about the next one. */
const LEAST_HISTORY = 8;
const QUANTILE = 0.95;
const MARGIN = 1.5;
const LEAST_OUTPUT = 1024;

/**
 * Returns output that was enough for 95 of 100 answers of this agent, and half as much again. Undefined while too few
 * are known, and for a compaction, whose length depends on what it replaces.
 */
export function estimateOutput(
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

/** Lists the input under each kind of billing; the cache rate for an hour applies if a mark asks for it, and in batches. */
function listWorstInputs(
  request: ModelRequest,
  { window, inBatches = false, inputAtMost = window }: PricedModel,
): Usage[] {
  const { system, tools, messages, compaction } = request;
  const text = JSON.stringify({ system, tools, messages, compaction });
  const input = { ...NO_USAGE, ...(inBatches ? { service_tier: 'batch' as const } : {}) };
  const tokens = Math.min(window, inputAtMost, countMostTokens(request, text));
  const written = { ...input, cache_creation_input_tokens: tokens };
  const isHourly = inBatches || text.includes('"ttl":"1h"');
  return [
    { ...input, input_tokens: tokens },
    isHourly ? { ...written, cache_creation: { ephemeral_1h_input_tokens: tokens } } : written,
  ];
}

/** Bounds tokens by bytes, as no token is shorter than a byte. Input beyond the window is not billed. */
function countMostTokens({ messages, tools }: ModelRequest, text: string): number {
  const images = messages.flatMap((message) => listImageBlocks(message));
  // The bytes of an image are not text.
  const pictures = images.reduce((sum, { source }) => sum + (source.type === 'base64' ? source.data.length : 0), 0);
  const own = images.length * IMAGE_TOKENS + (tools.length > 0 ? TOOL_PROMPT_TOKENS : 0);
  return byteLength(text) - pictures + own;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
