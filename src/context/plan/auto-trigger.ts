/** `trigger: auto`: where compaction is cheapest for the rest of a running session, from what its own transcript shows. */
import type { Policy } from '../policy.ts';

/** The measured course of a session so far; tokens are estimates. */
export type SessionPace = {
  /** The size of each step: its answer and the results of its calls. */
  steps: readonly number[];
  /** Calls whose beginning should have been cached, and those of them that found it expired. */
  calls: number;
  cold: number;
  /** The newest compaction: its view in real tokens, and the output that it was billed. */
  compacted?: { after: number; output: number | undefined };
};

export type AutoTrigger = {
  trigger: number;
  /** The trigger that the ratio alone gives. */
  ceiling: number;
  /** Average tokens per step. */
  growth: number;
  /** Tokens left after a compaction, including the retained steps. */
  base: number;
  /** Share of the calls before which the cache had expired. */
  pauses: number;
};

type AutoTriggerInput = { pace: SessionPace; policy: Policy; floor: number; ratio: number; ceiling: number };

/** With fewer steps the pace is unknown, and the ratio alone sets the trigger. */
const LEAST_STEPS = 8;
/** The latest steps that the pace is taken from. */
const WINDOW_OF_STEPS = 60;
/** A step counts as at most this many times the median. */
const OUTLIER = 5;
/** A compacted context must last for this many calls, or the session does little else than summarise. */
const LEAST_CALLS_BETWEEN = 8;
/** Within this share of the cheapest cost the rarer compaction is preferred, because each one also loses content. */
const TOLERANCE = 0.003;
/** Tokens of the message that asks for a summary, with its facts. */
const REQUEST = 3000;
/** Safety factor on the expected size of a compacted context. */
const MARGIN = 1.1;

/**
 * A step at a context of c tokens costs about h·c, a compaction at trigger T about r·T + k: reading the context once more,
 * and writing what it leaves. Between base and trigger lie (T − base) / growth steps. The sum for each step is least at
 * T = base + √(2 · growth · (r · base + k) / h). Undefined while too little is known.
 */
export function autoTrigger(question: AutoTriggerInput): AutoTrigger | undefined {
  const { pace, policy, floor, ratio, ceiling } = question;
  const latest = pace.steps.slice(-WINDOW_OF_STEPS);
  if (latest.length < LEAST_STEPS) return undefined;
  const { write, read, output } = policy.economics;
  const growth = Math.max(1, computeUsualStep(latest) * ratio);
  const kept = sumNumbers(pace.steps.slice(-policy.keep.steps)) * ratio;
  const { after = floor + policy.summary.maxTokens + kept, output: said } = pace.compacted ?? {};
  const base = Math.max(after, floor + kept);
  const pauses = pace.calls === 0 ? 0 : pace.cold / pace.calls;
  const holding = read + pauses * (write - read);
  const making = output * (said ?? policy.summary.maxTokens / 2) + (write - read) * (base - floor) + write * REQUEST;
  const least = Math.sqrt((2 * growth * (read * base + making)) / holding);
  const perStep = holding * base + growth * (read + write);
  const wanted = base + least * computeDelay(perStep / (holding * least));
  const cheapest = Math.max(wanted, computeLowest({ base, kept, growth }, policy));
  // A session that has had so many steps is expected to have as many again; a third of them must pay for the compaction.
  const paysBack = (holding * (cheapest - base) * pace.steps.length) / 3 > read * cheapest + making;
  const trigger = paysBack ? cheapest : ceiling;
  return {
    trigger: Math.min(ceiling, Math.round(trigger)),
    ...{ ceiling, growth: Math.round(growth), base: Math.round(base), pauses: Math.round(pauses * 1000) / 1000 },
  };
}

/** How much later than at its cheapest a compaction may be for the tolerated part of the cost, whose other part is `fixed`. */
function computeDelay(fixed: number): number {
  const share = 1 + TOLERANCE * (fixed + 1);
  return share + Math.sqrt(share * share - 1);
}

/** Returns the lowest trigger under which the latest steps fit their share of the target, and everything the target. */
function computeLowest(of: { base: number; kept: number; growth: number }, { target, keep }: Policy): number {
  const fits = Math.max(of.base, of.kept / keep.share) * MARGIN;
  return Math.max(fits / target.ratio, of.base + of.growth * LEAST_CALLS_BETWEEN);
}

/** Averages the steps with outliers capped, because one huge result does not predict the next steps. */
function computeUsualStep(steps: readonly number[]): number {
  const median = steps.toSorted((one, other) => one - other)[Math.floor(steps.length / 2)] ?? 0;
  return sumNumbers(steps.map((one) => Math.min(one, OUTLIER * median))) / steps.length;
}

function sumNumbers(list: readonly number[]): number {
  return list.reduce((all, one) => all + one, 0);
}
