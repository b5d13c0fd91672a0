/** The demands of tasks of tau-bench and tau2-bench. */
import { z } from 'zod';
import { COMPONENTS, type GoldCall, type RecordedTask } from './recorded-run.ts';

/** Ids and texts that some files write as numbers. */
export const NumberOrText = z.union([z.string(), z.number()]).transform(String);

export const Tau1Action = z.object({ name: z.string(), kwargs: z.record(z.string(), z.unknown()) });

export const Tau2Action = z.object({
  action_id: z.string().nullish(),
  requestor: z.string().nullish(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  compare_args: z.array(z.string()).nullish(),
});

export const Criteria = z.object({
  actions: z.array(Tau2Action).nullish(),
  env_assertions: z.array(z.looseObject({ func_name: z.string(), env_type: z.string().nullish() })).nullish(),
  communicate_info: z.array(NumberOrText).nullish(),
  nl_assertions: z.array(z.string()).nullish(),
  reward_basis: z.array(z.enum(COMPONENTS)).nullish(),
});

export const Tau2Task = z.object({ id: NumberOrText, evaluation_criteria: Criteria.nullish() });

/** Demands of every task of tau-bench, and of tasks of tau2-bench that name no other. */
const EMPTY_TASK = {
  basis: ['DB', 'COMMUNICATE'],
  assertions: undefined,
  nlAssertions: 0,
  goldDiff: undefined,
  instruction: '',
} satisfies Partial<RecordedTask>;

export function toTau1Task(
  actions: readonly z.infer<typeof Tau1Action>[],
  mustSay: readonly string[],
  instruction: string,
): RecordedTask {
  const gold = actions.map(({ name, kwargs }): GoldCall => ({
    tool: name,
    args: kwargs,
    by: 'assistant',
    compare: undefined,
  }));
  return { ...EMPTY_TASK, gold, mustSay, instruction };
}

export function toTau2Task(criteria: z.infer<typeof Criteria>): RecordedTask {
  return {
    ...EMPTY_TASK,
    gold: criteria.actions?.map(toGoldCall),
    mustSay: criteria.communicate_info ?? [],
    basis: [...new Set(criteria.reward_basis ?? EMPTY_TASK.basis)],
    assertions: criteria.env_assertions?.map(({ func_name }) => func_name),
    nlAssertions: criteria.nl_assertions?.length ?? 0,
  };
}

export function toGoldCall({ name, arguments: args, requestor, compare_args }: z.infer<typeof Tau2Action>): GoldCall {
  return { tool: name, args, by: requestor === 'user' ? 'user' : 'assistant', compare: compare_args ?? undefined };
}
