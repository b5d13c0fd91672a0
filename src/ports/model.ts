/** The model port: one request, one whole response. */
import type { Block, Message, StopReason, ToolDefinition, Usage } from '../transcript/message.ts';

/** A message on its way out may carry cache marks, which the transcript never does. */
export type OutgoingMessage = { role: Message['role']; content: (Block & { cache_control?: CacheMark })[] };
export type CacheMark = { type: 'ephemeral'; ttl?: '5m' | '1h' };

export type ModelRequest = {
  model: string;
  system: { type: 'text'; text: string; cache_control?: CacheMark }[];
  tools: (ToolDefinition & { cache_control?: CacheMark })[];
  messages: OutgoingMessage[];
  max_tokens: number;
  /**
   * `drop_block`: thinking whose conversation has changed is dropped by the API instead of refused
   * (docs/api-rules.md §2.5).
   */
  thinking?: { type: 'adaptive'; block_binding?: { prefix_mismatch_behavior: 'drop_block' } };
  /**
   * The call is a compaction: the answer is one signed block that represents these messages (docs/api-rules.md §5.4).
   */
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
  /** Of a refusal: its category and the provider's words, where it gives any (docs/api-rules.md §2.8). */
  stopDetails?: { category?: string; explanation?: string };
  usage: Usage;
  /** Some of the counts did not come and are 0 in `usage`: what the answer cost is not known. */
  usageUnknown?: true;
  /** Milliseconds until the answer was there, with waits for a slot and repeated tries; set where the call was paid. */
  ms?: number;
  /** When the answer was there; a replay says the same again. */
  at?: string;
};

/**
 * What a try without an answer costs. `none`: surely nothing. `known`: exactly `usage`. `unknown`: at least what `usage`
 * says, where it is there, and at most the worst case.
 */
export type TryBill = { billed: 'none' } | { billed: 'known'; usage: Usage } | { billed: 'unknown'; usage?: Usage };

/** One try as it went over the wire: bodies alone, without headers; keys that an answer repeats are taken out. Over HTTP a try without a status had no answer. */
export type Exchange = { request: string; status?: number; answer: Uint8Array };

/** What the caller of a model gets in addition to the answer. */
export type CallTerms = {
  /** Who calls: for telemetry; nothing of it is sent. */
  agent?: string;
  /** Receives the text in pieces, where the adapter streams; after a broken try it begins again. */
  onText?: (text: string) => void;
  /** Contract: awaited once for each try without an answer, before the next one is made and before the call rejects. */
  onFailedTry?: (bill: TryBill) => Promise<void>;
  /** Contract: awaited before each try but the first; a rejection ends the call with it. */
  onNextTry?: () => Promise<void>;
  /** `sent`: a try is on its way. `waiting`: for a place, for money, or for the next try; nobody is slow then. */
  onPhase?: (phase: 'sent' | 'waiting') => void;
  /** Goes out instead of the request's own `max_tokens`, which is never less; read at each try. */
  maxTokens?: () => number;
  /** Contract: called once for each try that was sent, before the call settles; never for an answer that was remembered. */
  onExchange?: (exchange: Exchange) => void;
  /** How the books name the call and its open try; read when it goes out. */
  paidAs?: () => { call: string; nth: number };
};

type Rates = { input: number; output: number; cacheWrite: number; cacheRead: number };

/** What a model is and may do: from the Models endpoint where it answers, else from `config/models.yaml`. */
export type ModelFacts = {
  id: string;
  window: number;
  maxOutput: number;
  /** A thinking block is bound to everything before it (docs/api-rules.md §2.5). */
  boundThinking: boolean;
  /** Thinking that the request must ask for; absent = do not send the field. */
  thinking?: 'adaptive';
  /** It takes system messages in the middle of a conversation (docs/api-rules.md §2.1). */
  systemMessages?: boolean;
  /** US dollars per million tokens. */
  price: Rates & {
    /** Other rates for a request whose whole prompt, cached parts included, is longer than `above` tokens. */
    longPrompt?: Rates & { above: number };
  };
  source: 'endpoint' | 'table';
};

export type BatchTerms = {
  /** Some calls may be made live, at the whole price. */
  liveToo: boolean;
  /** True when the request is in a batch that was sent and not read: its answer is fetched, and nothing new is paid. */
  holds: (request: ModelRequest) => Promise<boolean>;
};

export interface Model {
  /**
   * Contract: resolves only with a whole response. Rejects with `model_refused` (never retry as it is) or
   * `model_unavailable` (retryable, after the adapter's own tries); `meaningIn` says what would help. An abort rejects
   * with `signal.reason`. A rejection without a word to `onFailedTry` says nothing of the cost.
   */
  call(request: ModelRequest, signal: AbortSignal, terms?: CallTerms): Promise<ModelResponse>;
  /**
   * Waits until the provider's limits let this request object be sent by `call`, which otherwise waits by itself; so
   * nothing is reserved before. Resolves with the function to leave. Contract: rejects with `signal.reason`; a caller
   * that entered must leave, also when the call fails.
   */
  enter?(request: ModelRequest, signal: AbortSignal): Promise<() => void>;
  /**
   * Its answers come from batches, which cost half; the time until then counts for no limit.
   */
  readonly batch?: BatchTerms;
  /** Whether an answer to its next call is there from an earlier try of the step; absent: never. */
  holdsNext?(): Promise<boolean>;
  /** Contract: the API's own count of the request's input, free of charge; rejects like `call`. */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number>;
}

export interface ModelCatalogue {
  /** Contract: `config_invalid` for a model that neither the endpoint nor the table knows. */
  describe(model: string, signal: AbortSignal): Promise<ModelFacts>;
}

/** Prices as multiples of a fresh input token's. */
export function weightsOf({
  input,
  output,
  cacheWrite,
  cacheRead,
}: Rates): Pick<Rates, 'output'> & Record<'write' | 'read', number> {
  const times = (rate: number) => (input > 0 ? rate / input : 1);
  return { write: times(cacheWrite), read: times(cacheRead), output: times(output) };
}

/** What a token costs in a batch, of its price in a live call (docs/api-rules.md §5.2). */
export const BATCH_FACTOR = 0.5;
/** What a token costs that is written to the cache for an hour, of the price of input. */
const HOUR_WRITE_FACTOR = 2;

/** Of what is not paid for: a plugin, a recording, a script. */
export const NO_PRICE: ModelFacts['price'] = { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 };

/** US dollars of one response: server-side compaction is billed in addition to the totals. */
export function costOf(usage: Usage, price: ModelFacts['price']): number {
  const compacted = (usage.iterations ?? []).filter(({ type }) => type === 'compaction');
  const standard = compacted.reduce((sum, iteration) => sum + oneCost(iteration, price), oneCost(usage, price));
  return usage.service_tier === 'batch' ? standard * BATCH_FACTOR : standard;
}

function oneCost(usage: Usage, price: ModelFacts['price']): number {
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
