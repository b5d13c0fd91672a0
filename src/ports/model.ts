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
  thinking?: { type: 'adaptive' };
};

export type ModelResponse = {
  id: string;
  model: string;
  requestId?: string;
  content: Block[];
  stopReason: StopReason;
  usage: Usage;
};

type Rates = { input: number; output: number; cacheWrite: number; cacheRead: number };

/** What a model is and may do: from the Models endpoint where it answers, else from `config/models.yaml`. */
export type ModelFacts = {
  id: string;
  window: number;
  maxOutput: number;
  /** A thinking block is bound to all that stood before it (messages-api §2.5). */
  boundThinking: boolean;
  /** Thinking that the request must ask for; absent = do not send the field. */
  thinking?: 'adaptive';
  /** US dollars per million tokens. */
  price: Rates & {
    /** Other rates for a request whose whole prompt, cached parts included, is longer than `above` tokens. */
    longPrompt?: Rates & { above: number };
  };
  source: 'endpoint' | 'table';
};

export interface Model {
  /**
   * Contract: resolves only with a whole response. Rejects with `model_refused` (4xx: never retry) or
   * `model_unavailable` (retryable, after the adapter's own tries). An abort rejects with `signal.reason`.
   */
  call(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse>;
}

export interface ModelCatalogue {
  /** Contract: `config_invalid` for a model that neither the endpoint nor the table knows. */
  describe(model: string, signal: AbortSignal): Promise<ModelFacts>;
}

/** US dollars of one response. */
export function costOf(usage: Usage, price: ModelFacts['price']): number {
  const prompt = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
  const rates = price.longPrompt !== undefined && prompt > price.longPrompt.above ? price.longPrompt : price;
  const dollars =
    usage.input_tokens * rates.input +
    usage.cache_creation_input_tokens * rates.cacheWrite +
    usage.cache_read_input_tokens * rates.cacheRead +
    usage.output_tokens * rates.output;
  return dollars / 1_000_000;
}
