/** The model port: one request, one whole response. */
import type { Block, CacheMark, Message, StopReason, ToolDefinition, Usage } from '../transcript/message.ts';

/** A message on its way out may carry cache marks, which the transcript never does. */
export type OutgoingMessage = { role: Message['role']; content: (Block & { cache_control?: CacheMark })[] };

export type ModelRequest = {
  model: string;
  system: { type: 'text'; text: string; cache_control?: CacheMark }[];
  tools: (ToolDefinition & { cache_control?: CacheMark })[];
  messages: OutgoingMessage[];
  max_tokens: number;
  /**
   * `drop_block`: thinking whose conversation has changed is dropped by the API instead of refused (docs/internals/api-rules.md
   * §2.5).
   */
  thinking?: { type: 'adaptive'; block_binding?: { prefix_mismatch_behavior: 'drop_block' } };
  /** Tokens for the whole turn, of which the model sees a countdown; `remaining` once a compaction has removed a part of it. */
  output_config?: { task_budget: { type: 'tokens'; total: number; remaining?: number } };
  /** Requests a compaction: the answer is one signed block that represents these messages (docs/internals/api-rules.md §5.4). */
  compaction?: { type: 'summarize'; instructions?: string };
  /** Betas that the request needs. */
  betas?: string[];
};

export type ModelResponse = {
  id: string;
  model: string;
  requestId?: string;
  content: Block[];
  stopReason: StopReason;
  /** Category of a refusal and the provider's explanation, where given (docs/internals/api-rules.md §2.8). */
  stopDetails?: { category?: string; explanation?: string };
  usage: Usage;
  /** Some of the counts are missing and are 0 in `usage`, so the cost of the answer is not known. */
  usageUnknown?: true;
  /** Milliseconds until the answer arrived, with waits for a slot and repeated tries; set where the call was paid. */
  ms?: number;
  /** Time at which the answer arrived; a replay reports the same time. */
  at?: string;
};

/**
 * Cost of a try without an answer. `none`: surely nothing. `known`: exactly `usage`. `unknown`: at least `usage`, if
 * given, and at most the worst case.
 */
export type TryBill = { billed: 'none' } | { billed: 'known'; usage: Usage } | { billed: 'unknown'; usage?: Usage };

/** Bodies of one try as sent and received, without headers; keys that an answer repeats are removed. Over HTTP a try without a status had no answer. */
export type WireExchange = { request: string; status?: number; answer: Uint8Array };

/** Callbacks and options of the caller of a model, in addition to the request. */
export type CallTerms = {
  /** Name of the caller for telemetry; it is not sent. */
  agent?: string;
  /** Receives the text in pieces, where the adapter streams; after a broken try it begins again. */
  onText?: (text: string) => void;
  /** Contract: awaited once for each try without an answer, before the next try and before the call rejects. */
  onFailedTry?: (bill: TryBill) => Promise<void>;
  /** Contract: awaited before each try but the first; a rejection ends the call with it. */
  onNextTry?: () => Promise<void>;
  /** `sent`: a try is on its way. `waiting`: for a slot, for money or for the next try; the model is not slow then. */
  onPhase?: (phase: 'sent' | 'waiting') => void;
  /** Sent in place of the request's own `max_tokens`, which is never less; read at each try. */
  maxTokens?: () => number;
  /** Contract: called once for each try that was sent, before the call settles; never for a remembered answer. */
  onExchange?: (exchange: WireExchange) => void;
};

type TokenRates = { input: number; output: number; cacheWrite: number; cacheRead: number };

/** Facts about a model: from the Models endpoint where it answers, else from `config/models.yaml`. */
export type ModelFacts = {
  id: string;
  window: number;
  maxOutput: number;
  /** A thinking block is bound to everything before it (docs/internals/api-rules.md §2.5). */
  boundThinking: boolean;
  /** Thinking that the request must ask for; when absent, the field is not sent. */
  thinking?: 'adaptive';
  /** The model takes system messages in the middle of a conversation (docs/internals/api-rules.md §2.1). */
  systemMessages?: boolean;
  /** The model counts a task budget down by itself. */
  taskBudget?: boolean;
  /** US dollars per million tokens. */
  price: TokenRates & {
    /** Other rates for a request whose whole prompt, cached parts included, is longer than `above` tokens. */
    longPrompt?: TokenRates & { above: number };
  };
  source: 'endpoint' | 'table';
};

export interface Model {
  /**
   * Contract: resolves only with a whole response. Rejects with `model_refused` (never retry it unchanged) or
   * `model_unavailable` (retryable, after the adapter's own tries); `readMeaning` says what would help. An abort
   * rejects with `signal.reason`. A rejection without `onFailedTry` says nothing about the cost.
   */
  call(request: ModelRequest, signal: AbortSignal, terms?: CallTerms): Promise<ModelResponse>;
  /**
   * Waits until the provider's limits let this request object be sent by `call`, which otherwise waits by itself; so
   * nothing is reserved before. Resolves with the function to leave. Contract: rejects with `signal.reason`; a caller
   * that entered must leave, also when the call fails.
   */
  enter?(request: ModelRequest, signal: AbortSignal): Promise<() => void>;
  /** Returns whether an earlier try of the step holds the answer to the next call; never when absent. */
  holdsNext?(): Promise<boolean>;
  /** Contract: the API's own count of the request's input, free of charge; rejects like `call`. */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number>;
}

export interface ModelCatalogue {
  /** Contract: `config_invalid` for a model that neither the endpoint nor the table knows. */
  describe(model: string, signal: AbortSignal): Promise<ModelFacts>;
}

/** Returns prices as multiples of the price of a fresh input token. */
export function toPriceWeights({
  input,
  output,
  cacheWrite,
  cacheRead,
}: TokenRates): Pick<TokenRates, 'output'> & Record<'write' | 'read', number> {
  const times = (rate: number) => (input > 0 ? rate / input : 1);
  return { write: times(cacheWrite), read: times(cacheRead), output: times(output) };
}

/** Price of a token in a message batch, which earlier versions used, as a share of its price in a live call. */
const BATCH_FACTOR = 0.5;
/** Price of a token written to the cache for an hour, as a multiple of the price of input. */
const HOUR_WRITE_FACTOR = 2;

/** Price of a model that is not paid for: a plugin, a recording, a script. */
export const NO_PRICE: ModelFacts['price'] = { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 };

/** Returns US dollars of one response: server-side compaction is billed in addition to the totals. */
export function computeCost(usage: Usage, price: ModelFacts['price']): number {
  const compacted = (usage.iterations ?? []).filter(({ type }) => type === 'compaction');
  const standard = compacted.reduce(
    (sum, iteration) => sum + computeUsageCost(iteration, price),
    computeUsageCost(usage, price),
  );
  return usage.service_tier === 'batch' ? standard * BATCH_FACTOR : standard;
}

function computeUsageCost(usage: Usage, price: ModelFacts['price']): number {
  const prompt = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
  const rates = price.longPrompt !== undefined && prompt > price.longPrompt.above ? price.longPrompt : price;
  const hourly = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const dollars =
    usage.input_tokens * rates.input +
    (usage.cache_creation_input_tokens - hourly) * rates.cacheWrite +
    hourly * rates.input * HOUR_WRITE_FACTOR +
    usage.cache_read_input_tokens * rates.cacheRead +
    usage.output_tokens * rates.output;
  return dollars / 1_000_000;
}
