/** Everything that a report says about one run: filled by the pipeline, read by every renderer here. */
import { z } from 'zod';
import { ReviewPack } from '../../gate/rules/review-pack.ts';
import { ContextHistory } from '../../context-lab/history.ts';
import { Layer1Problem } from '../../scenario/handoff.ts';
import { Forecast } from '../../scenario/forecast/forecast.ts';
import { LayerCounts, Results } from '../../scenario/result.ts';
import { duration } from '../text/number-format.ts';

export const RoundSummary = z.strictObject({
  round: z.int().positive(),
  digest: z.string(),
  /** Both absent while the gate waits. */
  decidedBy: z.string().optional(),
  decision: z.enum(['approve', 'edit_approve', 'request_changes', 'reject', 'expired']).optional(),
  comment: z.string(),
  /** How many business rules the design holds. */
  rules: z.int().nonnegative(),
});
export type RoundSummary = z.infer<typeof RoundSummary>;

export const IterationSummary = z.strictObject({
  iteration: z.int().positive(),
  round: z.int().positive(),
  successRate: z.number(),
  interval: z.tuple([z.number(), z.number()]),
  passed: z.int().nonnegative(),
  total: z.int().nonnegative(),
  unscored: z.int().nonnegative(),
  layers: LayerCounts,
  /** It ended by sending layer-1 problems back to Init, which are listed in `problems`. */
  returned: z.boolean(),
  problems: z.array(Layer1Problem).optional(),
  costUsd: z.number(),
  results: Results.optional(),
  /** Relative to the run folder. */
  outputDir: z.string(),
});
export type IterationSummary = z.infer<typeof IterationSummary>;

export const CompactionSummary = z.strictObject({
  agent: z.string(),
  /** Id of the compaction's entry in the agent's transcript. */
  entry: z.string(),
  tokensBefore: z.int().nonnegative(),
  tokensAfter: z.int().nonnegative(),
  stepsSummarised: z.int().nonnegative(),
  stepsKept: z.int().nonnegative(),
  reason: z.string(),
});

/** `ms` is the time until the answers were there; calls that are made at the same time count each. */
const SpentSummary = z.strictObject({
  usd: z.number(),
  /** What failed calls and calls under way may have cost beyond `usd`, at most; absent: nothing. */
  uncertainUsd: z.number().nonnegative().optional(),
  calls: z.int().nonnegative(),
  /** Tries without an answer; absent: none. */
  failed: z.int().positive().optional(),
  /** Of all that, what came from batches, at half price; absent: nothing. */
  batches: z.strictObject({ usd: z.number(), calls: z.int().positive() }).optional(),
  /** Share of all input tokens that was read from the prompt cache; absent: no call says its usage. */
  cacheRead: z.number().min(0).max(1).optional(),
  ms: z.int().nonnegative().optional(),
  longestMs: z.int().nonnegative().optional(),
});
export type SpentSummary = z.infer<typeof SpentSummary>;

export const RunSummary = z.strictObject({
  run: z.string(),
  scenario: z.string(),
  title: z.string(),
  folder: z.string(),
  status: z.enum([
    'created',
    'designing',
    'awaiting_approval',
    'executing',
    'paused',
    'succeeded',
    'failed',
    'rejected',
    'expired',
    'cancelled',
    'errored',
  ]),
  /** One sentence: why the run has its status. */
  why: z.string(),
  target: z.number(),
  /** The number compared with the target; the rate when absent. */
  gate: z.enum(['rate', 'lower-bound']).optional(),
  /** Oldest first, as are iterations and compactions. */
  rounds: z.array(RoundSummary),
  iterations: z.array(IterationSummary),
  /** What people said to agents at work, oldest first; absent: nothing. `entry`: where the agent read it; absent: nowhere yet. */
  steering: z
    .array(
      z.strictObject({
        ...{ step: z.string(), agent: z.string(), actor: z.string(), at: z.string(), text: z.string() },
        entry: z.string().optional(),
      }),
    )
    .min(1)
    .optional(),
  compactions: z.array(CompactionSummary),
  /** How each agent's context grew and shrank, call by call. */
  contexts: z.array(z.strictObject({ agent: z.string(), history: ContextHistory })).optional(),
  spend: SpentSummary.extend({
    byAgent: z.record(z.string(), SpentSummary),
    /** `design.r1`, `execute.i1`, `chat`. */
    byStep: z.record(z.string(), SpentSummary).optional(),
  }),
  budgetUsd: z.number(),
  /** Before the first paid call; absent: the run was begun without one. */
  forecast: Forecast.optional(),
  /** The case table of the newest design; absent where it names no cases. */
  cases: ReviewPack.shape.cases,
  simulated: z.boolean(),
  endpoint: z.string(),
  /** How generated code was confined: `bubblewrap`, `node-permission`, … */
  sandbox: z.string(),
  /** Actors that decided at a gate and are not persons: `policy:demo`. */
  policyActors: z.array(z.string()),
  durationMs: z.number(),
  /** ISO 8601. */
  startedAt: z.string(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** ` in 12 min 04 s`; nothing where no time was taken. */
export function durationSuffix({ ms }: Pick<SpentSummary, 'ms'>): string {
  return ms === undefined ? '' : ` in ${duration(ms)}`;
}

/** The gate that waits for a person now. */
export function waitingGate(summary: RunSummary): string | undefined {
  const last = summary.rounds.at(-1);
  // The round may hold a decision already: a gate can need more than one.
  return summary.status === 'awaiting_approval' && last !== undefined ? `HITL-1.r${last.round}` : undefined;
}

/** The newest iteration whose results were read. */
export function lastResults(summary: RunSummary): { iteration: IterationSummary; results: Results } | undefined {
  const iteration = summary.iterations.findLast((one) => one.results !== undefined);
  return iteration?.results === undefined ? undefined : { iteration, results: iteration.results };
}

/** The end of the run folder's path: a report travels, and the directories above it exist on this machine only. */
export function shownFolder(folder: string): string {
  return folder
    .split(/[\\/]/)
    .filter((segment) => segment !== '')
    .slice(-3)
    .join('/');
}

/** What was paid, and whether more is to come. */
export function paidSoFar({ spend, status }: Pick<RunSummary, 'spend' | 'status'>): { usd: number; isOver: boolean } {
  return { usd: spend.usd, isOver: ['succeeded', 'failed', 'rejected', 'expired', 'cancelled'].includes(status) };
}
