/** Estimates what `trigger: auto` would save an agent on an ordinary session, before its own session is known. */
import { autoTrigger, limitsOf, type Budget, type Policy } from '../context/index.ts';
import { sessionCost, type Session } from './economics.ts';

/** An ordinary session: tokens of an answer, tokens of the results of its calls, and the number of model calls. */
export const ORDINARY = { answer: 250, result: 2500, calls: 200 };

export type AutoSaving = {
  /** The trigger that `auto` would choose and the trigger of the ratio, in tokens. */
  auto: number;
  ratio: number;
  /** The cost with `auto`, as a share of the cost at the ratio. */
  share: number;
};

/** Returns undefined when the ratio already compacts as early as `auto` would. */
export function autoSaving(policy: Policy, budget: Budget): AutoSaving | undefined {
  const { trigger: ceiling } = limitsOf(policy, budget);
  const { answer, result, calls } = ORDINARY;
  const steps = Array.from({ length: calls }, () => answer + result);
  const pace = { steps, calls: 0, cold: 0 };
  const found = autoTrigger({ pace, policy, floor: budget.floor, ratio: 1, ceiling });
  if (found === undefined || found.trigger >= ceiling) return undefined;
  const session: Session = {
    ...{ fixed: budget.floor, ...ORDINARY, weights: policy.economics },
    ...{ summary: policy.summary.maxTokens, keep: policy.keep.steps * (answer + result) },
  };
  const costAt = (compactAbove: number) => sessionCost(session, { compactAbove }).total;
  return { auto: found.trigger, ratio: ceiling, share: costAt(found.trigger) / costAt(ceiling) };
}
