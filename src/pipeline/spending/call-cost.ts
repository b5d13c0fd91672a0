/** Computes what a call costs: at worst before it is made, surely and possibly after a failed try, and its usual need. */
import { computeCost, type ModelFacts, type ModelRequest, type TryBill } from '../../ports/model.ts';
import type { SettlementTerms, SpendRecord } from '../../ports/run-store.ts';
import { listImageBlocks } from '../../transcript/images.ts';
import { inputTokens, NO_USAGE, type Usage } from '../../transcript/message.ts';

/** Upper bound of the tokens that the API counts for an image (docs/internals/api-rules.md §2.7). */
const IMAGE_TOKENS = 6_000;
/** Upper bound of the tokens that the API adds to a request to explain tool calls. */
const TOOL_PROMPT_TOKENS = 1_000;

/**
 * `inputAtMost`: a token bound tighter than the number of bytes.
 * `continues`: tokens of the input that an earlier call has lately brought into the cache.
 */
export type PricedModel = Pick<ModelFacts, 'price' | 'window'> & {
  inputAtMost?: number;
  continues?: number;
};

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
 * | at least what it said | that | the output of `usual`, else what was still allowed; of a compaction, which is counted apart, all |
 * | nobody knows | 0 | the worst case with the output of `usual`, else with all of it |
 *
 * `usual` is the agent's high quantile. The answer of the call narrows the rest afterwards (`boundLostTries`).
 */
export function computeTryCost(
  bill: TryBill,
  reservedUsd: number,
  { request, facts, maxTokens, usual }: FailedTry,
): { usd: number; uncertainUsd: number; usage?: Usage | undefined } {
  if (bill.billed === 'none') return { usd: 0, uncertainUsd: 0 };
  const { usage } = bill;
  const output = Math.min(maxTokens, usual ?? maxTokens);
  const mostUsd = Math.min(reservedUsd, usual === undefined ? reservedUsd : computeWorstCase(request, facts, output));
  if (usage === undefined) return { usd: 0, uncertainUsd: mostUsd };
  const usd = computeCost(usage, facts.price);
  if (bill.billed === 'known') return { usd, uncertainUsd: 0, usage };
  const whole = { ...usage, output_tokens: Math.max(output, usage.output_tokens) };
  const isCounted = inputTokens(usage) > 0;
  const most = isCounted && request.compaction === undefined ? computeCost(whole, facts.price) : mostUsd;
  return { usd, uncertainUsd: Math.max(0, most - usd), usage };
}

type FailedTry = { request: ModelRequest; facts: PricedModel; maxTokens: number; usual?: number | undefined };

/** Below this number of answers, history says too little about the next one. */
export const LEAST_HISTORY = 8;
const QUANTILE = 0.95;
const MARGIN = 1.5;
const LEAST_OUTPUT = 1024;
/** Answers to the same request differ less in length than answers to different ones. */
const LOST_MARGIN = 1.25;
/** A cache lasts five minutes from its last use; the requests themselves take a while. */
export const CACHE_MS = 4 * 60_000;

type AgentRequest = { agent: string; request: ModelRequest };

/**
 * Returns output that was enough for 95 of 100 answers of this agent, and half as much again. Undefined while too few
 * are known, and for a compaction, whose length depends on what it replaces.
 */
export function estimateOutput(records: readonly SpendRecord[], { agent, request }: AgentRequest): number | undefined {
  const outputs = listAnswers(records, { agent, request }).map(({ output_tokens }) => output_tokens);
  if (outputs.length < LEAST_HISTORY || request.compaction !== undefined) return undefined;
  const high = findQuantile(outputs, QUANTILE);
  return Math.min(request.max_tokens, Math.max(LEAST_OUTPUT, Math.ceil(high * MARGIN)));
}

function listAnswers(records: readonly SpendRecord[], { agent, request }: AgentRequest): Usage[] {
  const own = records.filter((record) => record.agent === agent && record.model === request.model);
  return own.flatMap(({ usage }) => usage ?? []);
}

function findQuantile(counts: readonly number[], share: number): number {
  const sorted = counts.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}

/**
 * Bounds what tries of a call cost that were lost before the call was answered with `usage`, in their order. Their input
 * is what was counted of them, else the same. A try may have written to the cache all that the answer could read, unless
 * the call before or an earlier try has put it there lately. Their output is a quarter longer than that of the answer, and
 * no shorter than this agent's usual one; while few of its answers are known, half as long again.
 *
 * A try of which nothing was counted, and that left nothing in the cache for the next one to read while it lasted, had not
 * begun to answer, if the provider's caches are known to behave: only what it bills against its own rules remains, so the
 * try is estimated at one token, which keeps it among the uncertain ones.
 */
export function boundLostTries(
  records: readonly SpendRecord[],
  { agent, request, usage, facts }: AgentRequest & { usage: Usage; facts: PricedModel },
): NonNullable<SettlementTerms['lostUsd']> {
  const all = [...listAnswers(records, { agent, request }), usage];
  const isKnown = all.length >= LEAST_HISTORY;
  const usual = findQuantile(
    all.map((one) => one.output_tokens),
    1 / 2,
  );
  const margin = isKnown ? LOST_MARGIN : MARGIN;
  const output = Math.min(
    request.max_tokens,
    Math.max(isKnown ? usual : LEAST_OUTPUT, Math.ceil(usage.output_tokens * margin)),
  );
  const { cache_read_input_tokens: read, cache_creation_input_tokens: own } = usage;
  const isCacheKnown = judgeCaches(records) === 'fit';
  const isHourly = all.some(({ cache_creation: kinds }) => kinds !== undefined);
  const mostLeft = Math.min(read, Math.max(0, inputTokens(usage) - own - (facts.continues ?? 0)));
  return (tries) => {
    let left = mostLeft;
    return tries.map(({ counted, ms, next = usage }) => {
      const mayWrite = left;
      const isCached = ms >= 0 && ms < CACHE_MS;
      left = isCached ? 0 : read;
      if (counted !== undefined && inputTokens(counted) > 0)
        return computeCost({ ...counted, output_tokens: Math.max(output, counted.output_tokens) }, facts.price);
      if (isCacheKnown && isCached && next.cache_creation_input_tokens > 0) {
        left = mayWrite;
        return computeCost({ ...NO_USAGE, output_tokens: 1 }, facts.price);
      }
      const creation = own + mayWrite;
      const hourly = isHourly ? { cache_creation: { ephemeral_1h_input_tokens: creation } } : {};
      const input = { cache_read_input_tokens: read - mayWrite, cache_creation_input_tokens: creation, ...hourly };
      return computeCost({ ...usage, ...input, output_tokens: output }, facts.price);
    });
  };
}

/** One read of exactly what another call had left shows that caches behave; each read of anything else takes back some. */
const LEAST_HITS = 1;
const HITS_FOR_A_MISS = 4;
/** No provider keeps a shorter prefix, and short numbers are alike by chance. */
const LEAST_CACHED_TOKENS = 1024;

/**
 * What a provider says of its caches is evidence only where its numbers `fit` each other in this run: a call read the
 * whole prefix that another one of its model had written. A shorter prefix that several calls read says nothing, and a call
 * that was tried again may read what its own lost try had written. A length that nobody had written speaks against it: when
 * the numbers are `unfit`, no estimate is made from them.
 */
export function judgeCaches(records: readonly SpendRecord[]): 'fit' | 'unfit' | 'unseen' {
  let [hits, misses] = [0, 0];
  for (const own of Object.values(Object.groupBy(records, ({ model }) => model))) {
    const written = new Set<number>();
    const readers = new Map<number, number>();
    for (const { usage = NO_USAGE } of own ?? []) {
      const { cache_read_input_tokens: read, cache_creation_input_tokens: creation } = usage;
      if (creation > 0) written.add(read + creation);
      readers.set(read, (readers.get(read) ?? 0) + 1);
    }
    for (const { usage = NO_USAGE, failed = 0 } of own ?? []) {
      const read = usage.cache_read_input_tokens;
      if (read === 0) continue;
      if (written.has(read)) hits += read < LEAST_CACHED_TOKENS ? 0 : 1;
      else if (readers.get(read) === 1 && failed === 0) misses += 1;
    }
  }
  if (hits >= LEAST_HITS + HITS_FOR_A_MISS * misses) return 'fit';
  return misses > 1 ? 'unfit' : 'unseen';
}

/** Lists the input under each kind of billing; the cache rate for an hour applies if a mark asks for it. */
function listWorstInputs(request: ModelRequest, { window, inputAtMost = window }: PricedModel): Usage[] {
  const { system, tools, messages, compaction } = request;
  const text = JSON.stringify({ system, tools, messages, compaction });
  const tokens = Math.min(window, inputAtMost, countMostTokens(request, text));
  const written = { ...NO_USAGE, cache_creation_input_tokens: tokens };
  const isHourly = text.includes('"ttl":"1h"');
  return [
    { ...NO_USAGE, input_tokens: tokens },
    isHourly ? { ...written, cache_creation: { ephemeral_1h_input_tokens: tokens } } : written,
  ];
}

/** Bounds tokens by bytes, as no token is shorter than a byte. Input beyond the window is not billed. */
function countMostTokens({ messages, tools }: ModelRequest, text: string): number {
  const images = messages.flatMap((message) => listImageBlocks(message));
  // The bytes of an image are not text.
  const pictures = images.reduce((sum, { source }) => sum + (source.type === 'base64' ? source.data.length : 0), 0);
  const own = images.length * IMAGE_TOKENS + (tools.length > 0 ? TOOL_PROMPT_TOKENS : 0);
  return Buffer.byteLength(text) - pictures + own;
}
