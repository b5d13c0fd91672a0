/** A model whose calls wait for the provider's limits: each call has a place, and each try of it counts. */
import type { LimitedLane, ProviderAllowances, RateLimiter, RateLimitSlot, RateLimitWait } from '../../ports/limits.ts';
import type { Model, ModelRequest, ModelResponse } from '../../ports/model.ts';

export type ModelLimiter = {
  /** Outermost: what is called through it may be traced or held back inside. */
  limited: (model: Model) => Model;
  /** What an answer said is left of the provider's limits holds for all who share them. */
  learn: (model: string, allowances: ProviderAllowances) => void;
  /** Before a request is tried again. A provider's `retry-after` holds for all who share its limits. */
  again: (request: ModelRequest, retryAfterMs: number | undefined, signal: AbortSignal) => Promise<void>;
};

export type ModelLimiterOptions = {
  limits: RateLimiter;
  laneOf: (model: string) => LimitedLane;
  tell: (wait: RateLimitWait) => void;
};

export function createModelLimiter({ limits, laneOf, tell }: ModelLimiterOptions): ModelLimiter {
  const places = new WeakMap<ModelRequest, RateLimitSlot>();

  const enter = async (request: ModelRequest, signal: AbortSignal): Promise<RateLimitSlot> => {
    const lane = laneOf(request.model);
    const expected = expectedTokens(request);
    const place = await limits.enter(lane, { tokens: expected, onWait: tell, signal });
    places.set(request, place);
    return place;
  };

  return {
    limited: (model) => ({
      ...model,
      enter: async (request, signal) => {
        const place = await enter(request, signal);
        return () => {
          places.delete(request);
          place.leave();
        };
      },
      call: async (request, signal, terms) => {
        const place = places.get(request) ?? (await enter(request, signal));
        try {
          const response = await model.call(request, signal, terms);
          place.leave(usedTokens(response));
          return response;
        } finally {
          places.delete(request);
          place.leave();
        }
      },
    }),
    learn: (model, allowances) => {
      // While half is left nobody need slow down, and each word is a write that all share.
      if (Object.values(allowances).some(({ limit, remaining }) => remaining < limit / 2))
        void limits.learn(laneOf(model).lane, allowances);
    },
    again: async (request, retryAfterMs, signal) => {
      if (retryAfterMs !== undefined) await limits.pause(laneOf(request.model).lane, retryAfterMs);
      await places.get(request)?.again(signal);
    },
  };
}

/** What a minute's allowance of tokens is likely to lose; the answer says what it was. */
function expectedTokens({ system, tools, messages }: ModelRequest): number {
  return Math.ceil(JSON.stringify([system, tools, messages]).length / 4);
}

/** Providers do not count what is read from their cache. */
function usedTokens({ usage }: ModelResponse): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.output_tokens;
}
