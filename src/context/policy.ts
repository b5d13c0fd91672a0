/** A context policy as `config/context/<name>.yaml` says it: every number of the core stands there, none in code. */
import { z } from 'zod';

const Tokens = z.int().nonnegative();

/** The passes that a policy may list; the ladder takes them in the policy's order. */
export const PassName = z.enum(['keep-latest-steps', 'shorten-long-results', 'keep-fewer-steps']);
export type PassName = z.infer<typeof PassName>;

export const Policy = z.strictObject({
  version: z.literal(1),
  name: z.string().min(1),
  /** `ratio` is of the model's input window; with both, the smaller number counts (S0.2). */
  trigger: z
    .strictObject({
      ratio: z.number().gt(0).lt(1).optional(),
      tokens: z.int().positive().optional(),
      reserve: Tokens,
    })
    .refine((trigger) => trigger.ratio !== undefined || trigger.tokens !== undefined, 'expected `ratio` or `tokens`'),
  /** Of the trigger: what a compaction must get under. */
  target: z.strictObject({ ratio: z.number().gt(0).lt(1) }),
  keep: z.strictObject({ steps: z.int().positive(), maxTokens: Tokens }),
  passes: z.array(PassName).min(1),
  longResult: z.strictObject({
    over: z.int().positive(),
    head: Tokens,
    tail: Tokens,
    errors: Tokens,
    fullText: z.string().min(1),
  }),
  summary: z.strictObject({
    maxOutputTokens: z.int().positive(),
    maxTokens: z.int().positive(),
    timeoutSeconds: z.number().positive(),
    repairTries: z.int().nonnegative(),
  }),
  facts: z.strictObject({
    task: Tokens,
    firstTask: Tokens,
    messages: Tokens,
    todos: Tokens,
    decisions: Tokens,
    ledger: Tokens,
    earlier: Tokens,
    lines: z.int().positive(),
    /** Tools whose successful calls are decisions that must outlive any summary (S0.19). */
    decisionTools: z.array(z.string()),
  }),
  breaker: z.strictObject({
    perCause: z.int().positive(),
    minGain: z.number().gte(0).lt(1),
    quickSteps: z.int().nonnegative(),
    quickTimes: z.int().positive(),
  }),
  calibration: z.strictObject({
    min: z.number().positive(),
    max: z.number().positive(),
    samples: z.int().positive(),
  }),
});
export type Policy = z.infer<typeof Policy>;
