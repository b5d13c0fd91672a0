/** The limits that policy and window define together, and the refusal of a window that is too small. */
import { HarnessError } from '../errors.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Budget } from './core.ts';
import type { Load } from './plan/request-load.ts';
import type { Policy } from './policy.ts';

export type Limits = {
  /** Above this the context is compacted before the next model call (S0.6). */
  trigger: number;
  /** A compacted view must be at or under this. */
  target: number;
  /** The most tokens of the target for retained steps (S0.5). */
  keep: number;
  /** Above this the next call might not fit at all. */
  hard: number;
};

/** Window and output cap give the budget, never below 0 (S4.3). */
export function limitsOf(policy: Policy, budget: Budget): Limits {
  const { trigger, hard } = widestLimits(policy, budget);
  return limitsAt(Math.min(wantedTrigger(policy, budget), trigger), hard, policy);
}

/** The limits that the window alone sets: any lower trigger is a wish. */
export function widestLimits(policy: Policy, { window, maxOutput }: Budget): Limits {
  const hard = Math.max(0, window - maxOutput);
  return limitsAt(Math.max(0, hard - policy.trigger.reserve), hard, policy);
}

/** Computes the limits for a given trigger. */
export function limitsAt(trigger: number, hard: number, policy: Policy): Limits {
  const { share, maxTokens = Number.POSITIVE_INFINITY } = policy.keep;
  const target = Math.floor(trigger * policy.target.ratio);
  return { trigger, target, keep: Math.min(maxTokens, Math.floor(target * share)), hard };
}

function wantedTrigger({ trigger: { ratio, tokens } }: Policy, { window }: Budget): number {
  return Math.min(tokens ?? window, Math.floor((ratio ?? 1) * window));
}

/** One sentence where the window leaves less than the number of tokens that was configured; a share always fits the window. */
export function loweredTrigger(policy: Policy, budget: Budget): string | undefined {
  const { tokens, reserve } = policy.trigger;
  const { trigger } = limitsOf(policy, budget);
  if (tokens === undefined || tokens <= trigger) return undefined;
  const share = wantedTrigger(policy, budget) === trigger;
  return (
    `compacts at ${trigger} tokens, not at ${tokens} as configured: ` +
    (share
      ? `the policy's ratio of the window of ${budget.window} is less`
      : `of the window of ${budget.window}, ${budget.maxOutput} are for the answer and ${reserve} in reserve`)
  );
}

/** Limits of a compacted view other than tokens: the same share of each trigger. */
export function loadTargets({ trigger, target }: Policy): Omit<Load, 'tokens'> {
  const share = (most: number) => Math.max(1, Math.floor(most * target.ratio));
  return {
    messages: trigger.messages === undefined ? Number.POSITIVE_INFINITY : share(trigger.messages),
    bytes: share(trigger.bytes),
    images: share(trigger.images),
  };
}

/**
 * Contract: throws `context_overflow` when compaction could never get under the target; called before the first model
 * call, so that no session is compacted for ever (S0.22, docs/internals/compaction-cases.md T1).
 */
export function checkWindow(policy: Policy, budget: Budget): void {
  const { trigger, target } = widestLimits(policy, budget);
  if (budget.floor + policy.summary.maxTokens <= target) return;
  throw new HarnessError(
    'context_overflow',
    `The window of ${budget.window} tokens is too small for this agent: system prompt and tools take ${budget.floor}, ` +
      `a summary up to ${policy.summary.maxTokens}; but compaction starts at ${trigger} at most and must get under ${target}. ` +
      `Use a model with a larger window, or lower summary.maxTokens, trigger.reserve or the output cap ` +
      `(${budget.maxOutput}) in policy "${policy.name}".`,
    { details: { ...budget, trigger, target, summary: policy.summary.maxTokens } },
  );
}

/** A transcript beyond the policy's limits is refused before every call (S4.10). */
export function checkSafety(entries: readonly Entry[], { safety, name }: Policy): void {
  let edges = 0;
  for (const { parents } of entries) edges += parents.length;
  if (entries.length <= safety.entries && edges <= safety.edges) return;
  throw new HarnessError(
    'safety_limit_exceeded',
    `The transcript has ${entries.length} entries with ${edges} links to parents; policy "${name}" allows ` +
      `${safety.entries} and ${safety.edges}. Begin a new session, or raise safety in the policy.`,
    { details: { entries: entries.length, edges, limits: safety } },
  );
}
