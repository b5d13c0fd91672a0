/** `limits:` of the configuration: how much of a provider's models all workers may use at once and per minute. */
import { z } from 'zod';

const Name = z.string().regex(/^[\w.*:-]+$/, 'expected a name, in which * stands for anything');

export const LimitEntry = z.strictObject({
  /** The host of the API (`api.anthropic.com`), or `offline`. */
  provider: Name.default('*'),
  /** One limit for all models together that match, such as `claude-opus-*`. */
  model: Name,
  /** Number of calls at the same time. */
  concurrency: z.int().positive().optional(),
  requests_per_minute: z.int().positive().optional(),
  /** Input that is not read from the cache, plus output. */
  tokens_per_minute: z.int().positive().optional(),
});
export type LimitEntry = z.infer<typeof LimitEntry>;

/** The first matching entry counts; calls without one share a lane by model, for the provider's own pauses. */
export function findLimit(entries: readonly LimitEntry[], provider: string, model: string) {
  const found = entries.find((entry) => matchesPattern(entry.provider, provider) && matchesPattern(entry.model, model));
  return {
    lane: `${provider}/${found?.model ?? model}`,
    limit: {
      concurrency: found?.concurrency,
      requestsPerMinute: found?.requests_per_minute,
      tokensPerMinute: found?.tokens_per_minute,
    },
  };
}

function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.\\+?^${}()|[\]]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}
