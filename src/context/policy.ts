/** A context policy, `config/context/<name>.yaml`: it has every number of the core. */
import { z } from 'zod';
import { PassSpec } from './pass-spec.ts';
import { SummaryFields } from './summary/summary.ts';

const Tokens = z.int().nonnegative();
const Share = z.number().gt(0).lt(1);
const PromptFile = z.string().regex(/^[a-z][a-z0-9_]*$/, 'expected the name of a file in prompts/, without .md');

/** How the results of a tool are compressed; those of other tools stay unchanged (S1.4). */
const ResultRule = z.strictObject({
  /** The tool's name, or several; `*` is for all that no other rule names (S1.6). */
  tools: z.array(z.string()).min(1),
  /** `numbered`: the first lines with their numbers; `tail`: the first few, those that speak of errors, and the last. */
  form: z.enum(['lines', 'numbered', 'tail', 'edit', 'recap', 'text']),
  /** Lines of the result, or for `edit` of the text that was written, that stay. */
  lines: z.int().nonnegative(),
});
export type ResultRule = z.infer<typeof ResultRule>;

export const Policy = z.strictObject({
  version: z.literal(1),
  name: z.string().min(1),
  /** `ratio` is of the model's input window; with both, the smaller number counts (S0.2). */
  trigger: z
    .strictObject({
      ratio: Share.optional(),
      tokens: z.int().positive().optional(),
      /** The ratio is the most: within it the trigger goes where the rest of the session is expected to be cheapest. */
      auto: z.boolean().optional(),
      reserve: Tokens,
      /** Messages in the view above which it is compacted (S3.2), and under which it never is (S1.10). */
      messages: z.int().min(10).max(100).optional(),
      minMessages: z.int().nonnegative().default(0),
      /** Bytes of the request's messages, and images in it: no token count shows these limits of the API. */
      bytes: z.int().positive().default(30_000_000),
      images: z.int().positive().default(90),
      /** Share of the trigger above which the context is compacted when the prompt cache has expired anyway. */
      cold: Share.optional(),
    })
    .refine((trigger) => trigger.ratio !== undefined || trigger.tokens !== undefined, 'expected `ratio` or `tokens`'),
  /**
   * Share of the trigger that a compaction must get under. With `steps` it aims lower, but not under `least`: at the
   * recent growth, that many steps must fit.
   */
  target: z.strictObject({ ratio: Share, steps: z.int().positive().optional(), least: Share.default(0.25) }),
  /** At most so many of the latest steps stay, and together at most this share of the target; `maxTokens` lowers it (S0.5). */
  keep: z.strictObject({ steps: z.int().positive(), share: Share.default(0.7), maxTokens: Tokens.optional() }),
  passes: z.array(PassSpec).min(1),
  longResult: z.strictObject({
    over: z.int().positive(),
    head: Tokens,
    tail: Tokens,
    errors: Tokens,
    fullText: z.string().min(1),
  }),
  /** For `compress-results`, the first rule that names a tool counts; what a cleared result becomes; `{{id}}` is its entry. */
  results: z
    .strictObject({
      rules: z.array(ResultRule),
      cleared: z.string().min(1),
      image: z.string().min(1),
    })
    .default({
      rules: [],
      cleared: '[This result has left the context: {{where}}]',
      image: '[image {{media}}, {{bytes}} bytes, shown before: {{where}}]',
    }),
  summary: z.strictObject({
    /** `server`: the API's own compaction; `code`: no model call, removed messages are only listed. */
    by: z.enum(['model', 'server', 'code']).default('model'),
    place: z.enum(['assistant', 'user', 'system']).default('assistant'),
    /** Another model for the summary, in a separate session (S1.13). */
    model: z.string().optional(),
    /** Summaries stay unchanged before newer ones up to so many tokens; above, they are merged (S1.7). */
    archive: z.int().positive().optional(),
    /** Instead of the agent's own summary fields. */
    fields: SummaryFields.optional(),
    maxOutputTokens: z.int().positive(),
    maxTokens: z.int().positive(),
    timeoutSeconds: z.number().positive(),
    repairTries: z.int().nonnegative(),
    /** The share of its lines that must cite an entry, or the summary is refused. */
    cited: z.number().gte(0).lte(1).default(0),
  }),
  /** Prompt files instead of the ordinary ones; `wrap` is the template of a summary. */
  prompts: z
    .strictObject({
      request: PromptFile.optional(),
      standing: PromptFile.optional(),
      wrap: PromptFile.optional(),
      merge: PromptFile.optional(),
      server: PromptFile.optional(),
    })
    .default({}),
  /** `drop_block`: thinking is sent, the API drops what it cannot check (docs/internals/api-rules.md §2.5, fix B). */
  thinking: z.enum(['strip', 'drop_block']).default('strip'),
  layers: z
    .strictObject({
      /** A file of the workspace root, by its name in any case (S1.2). */
      law: z.string().min(1).optional(),
      lawTokens: Tokens.default(8000),
      /** The most tokens of approved and pinned rules; more than this is an error, because no rule may be lost. */
      rulesTokens: Tokens.default(16_000),
      /** Limits for memories that are injected at the start of a turn (S4.2). */
      memory: z.strictObject({ limit: z.int().nonnegative(), tokens: Tokens }).optional(),
      /** The todo list is the last message of every call (S1.1). */
      recap: z.boolean().default(false),
      /** Prompt files that are always in the conversation, added again after a rewrite removed them (S4.2). */
      inject: z.array(PromptFile).default([]),
      skills: z.boolean().default(false),
    })
    .default({ lawTokens: 8000, rulesTokens: 16_000, recap: false, inject: [], skills: false }),
  facts: z.strictObject({
    task: Tokens,
    firstTask: Tokens,
    messages: Tokens,
    todos: Tokens,
    decisions: Tokens,
    ledger: Tokens,
    earlier: Tokens,
    /** Tokens for the ids of leaving entries, which the summariser may cite. */
    index: Tokens.default(2000),
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
  /** Prices as multiples of an input token's, and how long the cache lives: what a rewrite costs. */
  economics: z
    .strictObject({
      write: z.number().positive(),
      read: z.number().positive(),
      output: z.number().positive(),
      ttlSeconds: z.int().positive(),
    })
    .default({ write: 1.25, read: 0.1, output: 5, ttlSeconds: 300 }),
  /** More entries or parent links than this are refused (S4.10). */
  safety: z
    .strictObject({ entries: z.int().positive(), edges: z.int().positive() })
    .default({ entries: 100_000, edges: 400_000 }),
});
export type Policy = z.infer<typeof Policy>;
