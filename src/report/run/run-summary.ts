/** The data of a run report: filled by the pipeline, read by every renderer here. */
import { z } from 'zod';
import { ReviewPack } from '../../gate/rules/review-pack.ts';
import { ContextHistory } from '../../context-lab/history.ts';
import { Layer1Problem } from '../../scenario/handoff.ts';
import { Forecast } from '../../scenario/forecast/forecast.ts';
import { LayerCounts, Results } from '../../scenario/result.ts';
import { judgeResults, type ResultsVerdict } from '../../scenario/statistics/judge-results.ts';
import { formatDuration } from '../text/number-format.ts';

export const RoundSummary = z.strictObject({
  round: z.int().positive(),
  digest: z.string(),
  /** Both are absent while the gate waits. */
  decidedBy: z.string().optional(),
  decision: z.enum(['approve', 'edit_approve', 'request_changes', 'reject', 'expired']).optional(),
  comment: z.string(),
  /** Number of business rules in the design. */
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
  /** Both say what the rate leaves open: doubtful or missing verdicts. */
  verdict: z.enum(['disputed', 'incomplete']).optional(),
  passedRange: z.strictObject({ low: z.int(), high: z.int() }).optional(),
  /** The rules without a proof that keep the target from being met. */
  unproven: z.array(z.string()).optional(),
  layers: LayerCounts,
  /** True if it ended by sending layer-1 problems, listed in `problems`, back to Init. */
  returned: z.boolean(),
  problems: z.array(Layer1Problem).optional(),
  costUsd: z.number(),
  results: Results.optional(),
  /** Path relative to the run folder. */
  outputDir: z.string(),
});
export type IterationSummary = z.infer<typeof IterationSummary>;

export const CompactionSummary = z.strictObject({
  agent: z.string(),
  /** Id of the compaction entry in the agent's transcript. */
  entry: z.string(),
  tokensBefore: z.int().nonnegative(),
  tokensAfter: z.int().nonnegative(),
  stepsSummarised: z.int().nonnegative(),
  stepsKept: z.int().nonnegative(),
  reason: z.string(),
});

/** `ms` is the time spent waiting for answers; the times of parallel calls add up. */
const SpentSummary = z.strictObject({
  usd: z.number(),
  /** The most that failed and running calls may have cost beyond `usd`; absent means nothing. */
  uncertainUsd: z.number().nonnegative().optional(),
  /** The most that they may cost beyond that estimate if the provider bills all that it could; absent means nothing. */
  unlikelyUsd: z.number().nonnegative().optional(),
  calls: z.int().nonnegative(),
  /** Tries without an answer; absent means none. */
  failed: z.int().positive().optional(),
  /** Share of all input tokens read from the prompt cache; absent when no call states its usage. */
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
  /** One sentence on why the run has its status. */
  why: z.string(),
  target: z.number(),
  /** The number compared with the target; absent means the rate. */
  gate: z.enum(['rate', 'lower-bound']).optional(),
  /** Oldest first, like iterations and compactions. */
  rounds: z.array(RoundSummary),
  iterations: z.array(IterationSummary),
  /** Messages of people to agents at work, oldest first; absent means none. `entry`: where the agent read it. */
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
  /** History of each agent's context, call by call. */
  contexts: z.array(z.strictObject({ agent: z.string(), history: ContextHistory })).optional(),
  spend: SpentSummary.extend({
    byAgent: z.record(z.string(), SpentSummary),
    /** Keys are `design.r1`, `execute.i1`, `chat`. */
    byStep: z.record(z.string(), SpentSummary).optional(),
  }),
  budgetUsd: z.number(),
  /** Forecast made before the first paid call; absent if the run began without one. */
  forecast: Forecast.optional(),
  /** The case table of the newest design; absent where it names no cases. */
  cases: ReviewPack.shape.cases,
  simulated: z.boolean(),
  endpoint: z.string(),
  /** Confinement of generated code: `bubblewrap`, `node-permission`, … */
  sandbox: z.string(),
  /** Actors that decided at a gate and are not people, such as `policy:demo`. */
  policyActors: z.array(z.string()),
  durationMs: z.number(),
  /** Time in ISO 8601. */
  startedAt: z.string(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** Returns for example ` in 12 min 04 s`; empty when no time was recorded. */
export function durationSuffix({ ms }: Pick<SpentSummary, 'ms'>): string {
  return ms === undefined ? '' : ` in ${formatDuration(ms)}`;
}

/** Returns for example `evaluated`, or `3 of them evaluated` where one ran no sample. */
export function countEvaluated(iterations: RunSummary['iterations']): string {
  const ran = iterations.filter(({ total, unscored }) => total + unscored > 0).length;
  return ran === iterations.length ? 'evaluated' : `${ran} of them evaluated`;
}

/** Returns the gate that waits for a person now. */
export function waitingGate(summary: RunSummary): string | undefined {
  const last = summary.rounds.at(-1);
  // The round may already hold a decision, because a gate can need more than one.
  return summary.status === 'awaiting_approval' && last !== undefined ? `HITL-1.r${last.round}` : undefined;
}

/** Returns the newest iteration whose results were read. */
export function lastResults(summary: RunSummary): { iteration: IterationSummary; results: Results } | undefined {
  const iteration = summary.iterations.findLast((one) => one.results !== undefined);
  return iteration?.results === undefined ? undefined : { iteration, results: iteration.results };
}

/** Judges the newest results of a run; undefined before there are any. */
export function judgeSummary(summary: RunSummary): ResultsVerdict | undefined {
  const last = lastResults(summary);
  return last && judgeResults(last.results);
}

/** Returns the end of the run folder's path: a report travels, and the parent folders exist on this machine only. */
export function shownFolder(folder: string): string {
  return folder
    .split(/[\\/]/)
    .filter((segment) => segment !== '')
    .slice(-3)
    .join('/');
}

/** Returns the amount paid, and whether the run is over. */
export function paidSoFar({ spend, status }: Pick<RunSummary, 'spend' | 'status'>): { usd: number; isOver: boolean } {
  return { usd: spend.usd, isOver: ['succeeded', 'failed', 'rejected', 'expired', 'cancelled'].includes(status) };
}
