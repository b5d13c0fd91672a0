/** `limits:` of the configuration: what a provider's models take at once and in a minute, for all workers together. */
import { z } from 'zod';

const Name = z.string().regex(/^[\w.*:-]+$/, 'expected a name, in which * stands for anything');

export const LimitEntry = z.strictObject({
  /** The host of the API (`api.anthropic.com`), or `offline`. */
  provider: Name.default('*'),
  /** One limit for all the models together that it fits, such as `claude-opus-*`. */
  model: Name,
  /** Calls at the same time. */
  concurrency: z.int().positive().optional(),
  requests_per_minute: z.int().positive().optional(),
  /** Input that is not read from the cache, and output. */
  tokens_per_minute: z.int().positive().optional(),
});
export type LimitEntry = z.infer<typeof LimitEntry>;

/** The first entry that fits counts; calls that no entry fits share a lane by model, for the provider's own pauses. */
export function limitOf(entries: readonly LimitEntry[], provider: string, model: string) {
  const found = entries.find((entry) => fits(entry.provider, provider) && fits(entry.model, model));
  return {
    lane: `${provider}/${found?.model ?? model}`,
    limit: {
      concurrency: found?.concurrency,
      requestsPerMinute: found?.requests_per_minute,
      tokensPerMinute: found?.tokens_per_minute,
    },
  };
}

function fits(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.\\+?^${}()|[\]]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}
