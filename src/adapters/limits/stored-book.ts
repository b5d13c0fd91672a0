/** The book of a lane as a store gives it back: what cannot be read counts as an empty one. */
import { z } from 'zod';
import { omitUndefined } from '../../omit-undefined.ts';
import { EMPTY_PACE } from './pace.ts';
import { EMPTY_RATE_LIMIT_STATE, type RateLimitState } from './rate-limit-state.ts';

const List = z.array(z.object({ id: z.string(), until: z.number() }));
const Allowance = z.object({ limit: z.number().positive(), remaining: z.number(), at: z.number() }).optional();
const Stored = z.object({
  pausedUntil: z.number(),
  calls: z.array(z.object({ id: z.string(), at: z.number(), tokens: z.number() })),
  running: List,
  waiting: List,
  pace: z
    .object({
      requestsAt: z.number(),
      tokensAt: z.number(),
      provider: z
        .object({ requests: Allowance, tokens: Allowance, inputTokens: Allowance, outputTokens: Allowance })
        .transform((found) => omitUndefined(found)),
    })
    .default(EMPTY_PACE),
});

export function readBook(value: unknown): RateLimitState {
  return Stored.safeParse(value).data ?? EMPTY_RATE_LIMIT_STATE;
}
