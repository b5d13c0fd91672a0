/** One line of a transcript: a message, a compaction of what stands before it, or a compaction that was refused. */
import { z } from 'zod';
import { Message, StopReason, Usage } from './message.ts';

const Base = z.object({
  version: z.literal(1),
  /** `e1`, `e2`, … unique in the transcript; summaries cite it as `[#e12]`. */
  id: z.string().regex(/^e\d+$/),
  /** Entries this one follows; the first has none (S4.1). */
  parents: z.array(z.string()),
  /** `main`, or the lane of a fork or sub-agent (S4.1). */
  lane: z.string(),
  /** The step of the run that made it: `design.r1`, `execute.i3`; a step that is tried again makes its entries again. */
  step: z.string().optional(),
});

export const MessageEntry = Base.extend({
  type: z.literal('message'),
  /**
   * Who made it: a person, the harness (a task that opens a turn), the model, the tools that answered the model, or the
   * harness again with a reminder, which opens nothing.
   */
  origin: z.enum(['human', 'harness', 'model', 'tools', 'reminder']),
  message: Message,
  /** Only on model entries: what the API returned, and the digest of the view it was measured on (S0.6). */
  response: z
    .object({
      model: z.string(),
      requestId: z.string().optional(),
      stopReason: StopReason,
      usage: Usage,
      view: z.string(),
    })
    .optional(),
});
export type MessageEntry = z.infer<typeof MessageEntry>;

/** What one compaction decided and cost; tokens as estimated on the view, usage as billed for the summary call. */
export const CompactionReceipt = z.object({
  reason: z.string(),
  tokensBefore: z.number().int().nonnegative(),
  tokensAfter: z.number().int().nonnegative(),
  stepsSummarised: z.number().int().nonnegative(),
  stepsKept: z.number().int().nonnegative(),
  /** Every pass that was tried, in order, with what it gained. */
  decisions: z.array(
    z.object({ attempt: z.number().int(), pass: z.string(), detail: z.string(), tokens: z.number().int() }),
  ),
  usage: Usage.optional(),
  /** The cached tokens that the rewrite gives up. */
  cacheTokensLost: z.number().int().nonnegative(),
});
export type CompactionReceipt = z.infer<typeof CompactionReceipt>;

export const CompactionEntry = Base.extend({
  type: z.literal('compaction'),
  /** The last entry that the summary stands for. */
  coversThrough: z.string(),
  /** The first entry that stays word for word; absent when nothing is kept. */
  keepsFrom: z.string().optional(),
  /** The mock user message as it stands in the view from now on, with the facts that code carries (S0.7, S0.20). */
  request: z.string().min(1),
  /** The model's answer, without its thinking (S0.12). */
  summary: z.string().min(1),
  /** The user message between the summary and the kept steps (S0.9). */
  bridge: z.string().min(1),
  /** Text after the kept tool results: it closes a tool loop whose thinking is gone (messages-api §2.5, §10). */
  note: z.string().min(1).optional(),
  /** Kept tool results that were shortened: tool_use id -> what stands in the view instead (S0.11). */
  shortened: z.record(z.string(), z.string()),
  receipt: CompactionReceipt,
});
export type CompactionEntry = z.infer<typeof CompactionEntry>;

export const RefusedEntry = Base.extend({
  type: z.literal('compaction_refused'),
  /** The rule of acceptance that failed, or the kind of failure of the call; the circuit breaker counts per cause. */
  cause: z.string(),
  detail: z.string(),
  usage: Usage.optional(),
});
export type RefusedEntry = z.infer<typeof RefusedEntry>;

export const Entry = z.discriminatedUnion('type', [MessageEntry, CompactionEntry, RefusedEntry]);
export type Entry = z.infer<typeof Entry>;
