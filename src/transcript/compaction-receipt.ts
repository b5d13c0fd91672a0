/** The decisions and cost of one compaction: tokens as estimated on the view, usage as billed for the summary call. */
import { z } from 'zod';
import { Usage } from './message.ts';

const Tokens = z.int().nonnegative();

/** When a rewrite of the cached prefix pays for itself; prices are multiples of the price of an input token. */
export const Economics = z.object({
  /** Recent growth of the context, in tokens per step. */
  growth: Tokens,
  /** The target, adapted to that growth. */
  target: Tokens,
  /** Tokens after the first change, which must be written to the cache again. */
  rewritten: Tokens,
  /** Calls after which the smaller context has paid for rewrite and summary; null when it never does. */
  breakEvenCalls: z.number().nonnegative().nullable(),
  /** Calls until the trigger is reached again at that growth. */
  callsExpected: z.number().nonnegative(),
  /** True when the cache had already expired, so that the rewrite itself cost nothing. */
  cold: z.boolean(),
});
export type Economics = z.infer<typeof Economics>;

/** One attempt of a pass, in the order of the attempts; each is made once (S4.4). */
export const PassDecision = z.object({
  attempt: z.int(),
  pass: z.string(),
  detail: z.string(),
  /** Tokens of the view that the attempt would make. */
  tokens: z.int(),
  /** The number of tokens that had to be reached in the end. */
  goal: Tokens.optional(),
  /** True when the view is at or under the goal and within every other limit. */
  fits: z.boolean().optional(),
  taken: z.boolean().optional(),
  /** Why the attempt was not taken. */
  why: z.string().optional(),
});
export type PassDecision = z.infer<typeof PassDecision>;

/** For `trigger: auto`: the trigger, the one that the ratio would give, and the data that both rest on. */
export const AutoRecord = z.object({
  ...{ trigger: Tokens, ceiling: Tokens, growth: Tokens, base: Tokens },
  pauses: z.number().nonnegative(),
});

export const CompactionReceipt = z.object({
  reason: z.string(),
  /** Why the compaction was made, when `reason` names the outcome: a fallback. */
  occasion: z.string().optional(),
  tokensBefore: Tokens,
  tokensAfter: Tokens,
  stepsSummarised: Tokens,
  stepsKept: Tokens,
  /** Every pass that was tried, in order, with its gain. */
  decisions: z.array(PassDecision),
  usage: Usage.optional(),
  /** Cached tokens that the rewrite gives up. */
  cacheTokensLost: Tokens,
  /** Name of the policy that decided. */
  policy: z.string().optional(),
  /** `usage`: `tokensBefore` rests on the bill for this projection; `estimate`: on the estimate alone. */
  source: z.enum(['usage', 'estimate']).optional(),
  /** How removed messages can be read again: `recall e12` (lossless). */
  left: z.array(z.object({ from: z.string(), through: z.string(), why: z.string() })).optional(),
  /** Number of lines in the summary, of those that cite an entry, and of those left out of an archive as current progress. */
  claims: z.object({ lines: Tokens, cited: Tokens, current: Tokens.optional() }).optional(),
  economics: Economics.optional(),
  /** For `trigger: auto`: the trigger, the ratio's trigger, and the data that both rest on. */
  auto: AutoRecord.optional(),
  /** Cost of the summary call in US dollars. */
  costUsd: z.number().nonnegative().optional(),
});
export type CompactionReceipt = z.infer<typeof CompactionReceipt>;
