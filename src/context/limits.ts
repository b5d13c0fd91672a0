/** The limits that policy and window define together, and the refusal of a window that is too small. */
import { HarnessError } from '../errors.ts';
import type { Budget } from './core.ts';
import type { Load } from './plan/request-load.ts';
import type { Policy } from './policy.ts';

export type Limits = {
  /** Above this the context is compacted before the next model call (S0.6). */
  trigger: number;
  /** A compacted view must be at or under this. */
  target: number;
  /** Above this the next call might not fit at all. */
  hard: number;
};

/** Window and output cap give the budget, never below 0 (S4.3). */
export function limitsOf(policy: Policy, budget: Budget): Limits {
  const { ratio, tokens, reserve } = policy.trigger;
  const hard = Math.max(0, budget.window - budget.maxOutput);
  const wanted = Math.min(tokens ?? budget.window, Math.floor((ratio ?? 1) * budget.window));
  const trigger = Math.max(0, Math.min(wanted, hard - reserve));
  return { trigger, target: Math.floor(trigger * policy.target.ratio), hard };
}

/** Limits of a compacted view besides tokens: the same share of each trigger. */
export function loadTargets({ trigger, target }: Policy): Omit<Load, 'tokens'> {
  const share = (most: number) => Math.max(1, Math.floor(most * target.ratio));
  return {
    messages: trigger.messages === undefined ? Number.POSITIVE_INFINITY : share(trigger.messages),
    bytes: share(trigger.bytes),
    images: share(trigger.images),
  };
}

/**
 * Contract: throws `context_overflow` when compaction could never get under the trigger; called before the first model
 * call, so that no session is compacted for ever (S0.22, docs/compaction-cases.md T1).
 */
export function checkWindow(policy: Policy, budget: Budget): void {
  const { trigger, target } = limitsOf(policy, budget);
  const fixed = budget.floor + policy.summary.maxTokens;
  const full = fixed + policy.keep.maxTokens;
  if (full <= trigger && fixed <= target) return;
  throw new HarnessError(
    'context_overflow',
    `The window of ${budget.window} tokens is too small for this agent: system prompt and tools take ${budget.floor}, ` +
      `a summary up to ${policy.summary.maxTokens}, kept steps up to ${policy.keep.maxTokens}; but compaction starts at ` +
      `${trigger} and must get under ${target}. Use a model with a larger window, or lower keep.maxTokens, ` +
      `summary.maxTokens, trigger.reserve or the output cap (${budget.maxOutput}) in policy "${policy.name}".`,
    { details: { ...budget, trigger, target, keep: policy.keep.maxTokens, summary: policy.summary.maxTokens } },
  );
}
