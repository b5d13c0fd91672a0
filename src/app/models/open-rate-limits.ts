/** Applies the configured limits before every model call: in the shared queue if there is one, else in this process. */
import { limitsInMemory } from '../../adapters/in-process/limits-in-memory.ts';
import type { RateLimitStore } from '../../adapters/limits/rate-limit-state.ts';
import { createModelLimiter, type ModelLimiter } from '../../adapters/limits/model-limiter.ts';
import { openRateLimiter } from '../../adapters/limits/rate-limiter.ts';
import { chooseEndpoint } from '../../config/endpoint.ts';
import { limitOf } from '../../config/limits.ts';
import { providerOf } from '../../config/endpoint.ts';
import type { Config } from '../../config/schema.ts';
import type { RateLimitWait } from '../../ports/limits.ts';
import type { Progress } from '../../ports/progress.ts';

export type OpenModelLimiterOptions = {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  store?: RateLimitStore | undefined;
  progress: Progress;
};

/** The shortest time between two notices that calls of one lane wait. */
const NOTICE_MS = 10_000;

export function openModelLimiter({
  config,
  env,
  store,
  progress,
}: OpenModelLimiterOptions): ModelLimiter & { close: () => void } {
  const limits = openRateLimiter(store ?? limitsInMemory());
  const places = createModelLimiter({
    limits,
    laneOf: (model) => limitOf(config.limits, providerOf(chooseEndpoint(config, env)), model),
    tell: sparingly(({ lane, why, waitMs }) =>
      progress({ type: 'wait', what: `a call of ${lane}`, delayMs: waitMs, reason: why }),
    ),
  });
  return { ...places, close: () => limits.close() };
}

function sparingly(notify: (wait: RateLimitWait) => void): (wait: RateLimitWait) => void {
  const notifiedAt = new Map<string, number>();
  return (wait) => {
    if (performance.now() - (notifiedAt.get(wait.lane) ?? -NOTICE_MS) < NOTICE_MS) return;
    notifiedAt.set(wait.lane, performance.now());
    notify(wait);
  };
}
