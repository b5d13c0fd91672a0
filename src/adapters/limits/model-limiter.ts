/** A model whose calls wait for the provider's limits: each call takes a slot, and each of its tries counts. */
import type { LimitedLane, ProviderAllowances, RateLimiter, RateLimitSlot, RateLimitWait } from '../../ports/limits.ts';
import type { Model, ModelRequest, ModelResponse } from '../../ports/model.ts';

export type ModelLimiter = {
  /** The outermost wrapper: other wrappers, such as tracing or delays, belong inside it. */
  limited: (model: Model) => Model;
  /** Stores the remaining limits that an answer reports, for all processes that share them. */
  learn: (model: string, allowances: ProviderAllowances) => void;
  /** Called before a request is repeated. A provider's `retry-after` holds for all processes that share its limits. */
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
    const place = await limits.enter(lane, { tokens: expectedTokens(request), onWait: tell, signal });
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
      // While half is left nobody need slow down, and each update is a write to shared storage.
      if (Object.values(allowances).some(({ limit, remaining }) => remaining < limit / 2))
        void limits.learn(laneOf(model).lane, allowances);
    },
    again: async (request, retryAfterMs, signal) => {
      if (retryAfterMs !== undefined) await limits.pause(laneOf(request.model).lane, retryAfterMs);
      await places.get(request)?.again(signal);
    },
  };
}

/** Estimates the tokens that count towards the limit per minute; the answer states the true number. */
function expectedTokens({ system, tools, messages }: ModelRequest): number {
  return Math.ceil(JSON.stringify([system, tools, messages]).length / 4);
}

/** Providers do not count tokens that are read from their cache. */
function usedTokens({ usage }: ModelResponse): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.output_tokens;
}
