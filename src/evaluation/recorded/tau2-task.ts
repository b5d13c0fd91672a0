/** A task of a tau2-bench domain as a sample of ours. */
import { z } from 'zod';
import type { BusinessRule } from '../../scenario/design.ts';
import type { PatchOperation, Sample } from '../../scenario/sample.ts';
import { isJsonObject } from '../../scenario/json-value.ts';
import { CriteriaShape } from './criteria-tau2.ts';
import { rulesNear } from './policy-rules.ts';

const Instructions = z.object({
  reason_for_call: z.string().default(''),
  known_info: z.string().nullish(),
  unknown_info: z.string().nullish(),
  task_instructions: z.string().nullish(),
});

export const Tau2Task = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  description: z
    .object({ purpose: z.string().nullish(), relevant_policies: z.string().nullish(), notes: z.string().nullish() })
    .nullish(),
  user_scenario: z.object({ instructions: z.union([z.string(), Instructions]) }),
  initial_state: z
    .object({
      initialization_data: z
        .object({
          agent_data: z.record(z.string(), z.unknown()).nullish(),
          user_data: z.record(z.string(), z.unknown()).nullish(),
        })
        .nullish(),
      initialization_actions: z.array(z.unknown()).nullish(),
      message_history: z.array(z.unknown()).nullish(),
    })
    .nullish(),
  evaluation_criteria: CriteriaShape.nullish(),
});
export type Tau2Task = z.infer<typeof Tau2Task>;

export type TaskContext = {
  id: string;
  domain: string;
  rules: readonly BusinessRule[];
  /** Tools that change nothing, by their own decorator. */
  readers: ReadonlySet<string>;
  gap: (text: string) => void;
};

export function sampleOfTask(task: Tau2Task, { id, domain, rules, readers, gap }: TaskContext): Sample {
  const { instructions } = task.user_scenario;
  const told = typeof instructions === 'string' ? { reason_for_call: instructions } : instructions;
  const actions = task.evaluation_criteria?.actions ?? [];
  const own = actions.filter(({ requestor }) => requestor !== 'user');
  if (own.length < actions.length)
    gap(`${actions.length - own.length} gold calls are made by the user; a sample holds those of the subject`);
  if ((task.initial_state?.initialization_actions ?? []).length > 0)
    gap('its initialization_actions need the tools; they were not played');
  if ((task.initial_state?.message_history ?? []).length > 0)
    gap('its message_history was left out: a sample begins with the first words');
  const changing = own.filter(({ name }) => !readers.has(name)).map(({ name }) => name);
  if (changing.length > 0)
    gap(
      `expect.end_state must be computed once the tools are there (${[...new Set(changing)].join(', ')}); until then it is "unchanged" and fails its proof`,
    );
  const about = [
    task.description?.purpose,
    task.description?.relevant_policies,
    task.description?.notes,
    told.reason_for_call,
  ];
  const words = task.evaluation_criteria?.communicate_info ?? [];
  return {
    id,
    title: task.description?.purpose ?? `${domain} task ${task.id}`,
    category: domain,
    covers: rulesNear(about.filter(Boolean).join(' '), rules),
    start: { base: 'db', patch: startPatch(task) },
    user: {
      says_first: told.reason_for_call.trim() || 'Hello.',
      knows: knownOf('known_info' in told ? (told.known_info ?? '') : ''),
      does_not_know: 'unknown_info' in told && told.unknown_info ? [told.unknown_info.trim()] : [],
      stops_when: ('task_instructions' in told ? told.task_instructions : undefined) ?? 'the agent has finished',
    },
    expect: { end_state: 'unchanged', must_say: words.map((any) => ({ any: [any] })), must_not_call: [] },
    gold: own.map(({ name, arguments: args }) => ({ tool: name, args })),
    gold_says: words.join(' ') || 'It is done.',
    wrong: [],
    wrong_says: 'There is nothing I can do.',
    checkers: ['criteria'],
    limits: {},
  };
}

/** `Your user id is sophia_7557.` becomes what the user answers when asked for the user id. */
function knownOf(text: string): Record<string, string> {
  const sentences = text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((part) => part.trim())
    .filter(Boolean);
  return Object.fromEntries(
    sentences.map((sentence, index) => {
      const match = /^your ([\w -]{2,40}?) (?:is|are) (.+?)\.?$/i.exec(sentence);
      if (match !== null) return [match[1]?.toLowerCase() ?? '', match[2] ?? ''];
      const name = /^you are (.+?)\.?$/i.exec(sentence);
      return name === null ? [`known ${index + 1}`, sentence] : ['name', name[1] ?? ''];
    }),
  );
}

/** The data that a task lays over the domain's own, leaf by leaf. */
function startPatch({ initial_state }: Tau2Task): PatchOperation[] {
  const { agent_data, user_data } = initial_state?.initialization_data ?? {};
  return [...leaves(agent_data ?? {}, '/agent'), ...leaves(user_data ?? {}, '/user')];
}

function leaves(value: unknown, path: string): PatchOperation[] {
  if (!isJsonObject(value)) return [{ op: 'add', path, value }];
  return Object.entries(value).flatMap(([key, child]) =>
    leaves(child, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}
