/** The evaluation criteria of a tau2-bench task. */
import { z } from 'zod';
import { COMPONENTS, type RewardComponent, type GoldCall, type RecordedTask } from './recorded-run.ts';

export const ActionShape = z.object({
  action_id: z.string().nullish(),
  requestor: z.string().nullish(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  compare_args: z.array(z.string()).nullish(),
});

const AssertionShape = z.looseObject({ func_name: z.string(), env_type: z.string().nullish() });

export const CriteriaShape = z.object({
  actions: z.array(ActionShape).nullish(),
  env_assertions: z.array(AssertionShape).nullish(),
  communicate_info: z.array(z.union([z.string(), z.number()]).transform(String)).nullish(),
  nl_assertions: z.array(z.string()).nullish(),
  reward_basis: z.array(z.enum(COMPONENTS)).nullish(),
});

/** The benchmark's default. */
const DEFAULT_BASIS: readonly RewardComponent[] = ['DB', 'COMMUNICATE'];

export function taskOfCriteria(criteria: z.infer<typeof CriteriaShape>): RecordedTask {
  return {
    gold: criteria.actions?.map(goldOfAction),
    mustSay: criteria.communicate_info ?? [],
    basis: [...new Set(criteria.reward_basis ?? DEFAULT_BASIS)],
    assertions: criteria.env_assertions?.map(({ func_name }) => func_name),
    nlAssertions: criteria.nl_assertions?.length ?? 0,
    goldDiff: undefined,
    instruction: '',
  };
}

export function goldOfAction(action: z.infer<typeof ActionShape>): GoldCall {
  const by = action.requestor === 'user' ? 'user' : 'assistant';
  return { tool: action.name, args: action.arguments, by, compare: action.compare_args ?? undefined };
}
