/** A whole result file of tau2-bench: the tasks, and the simulations that name them. */
import { z } from 'zod';
import { HarnessError } from '../../../errors.ts';
import { ActionShape, CriteriaShape, goldOfAction, taskOfCriteria } from './criteria-tau2.ts';
import { MessageShape, recordedMessage } from './message-shapes.ts';
import { COMPONENTS, type RecordedRun } from './recorded-run.ts';

const Id = z.union([z.string(), z.number()]).transform(String);

const Task = z.object({ id: Id, evaluation_criteria: CriteriaShape.nullish() });

const Simulation = z.object({
  task_id: Id,
  trial: z.int().nonnegative().nullish(),
  termination_reason: z.string(),
  messages: z.array(MessageShape),
  reward_info: z.object({
    reward: z.number(),
    reward_breakdown: z.partialRecord(z.enum(COMPONENTS), z.number()).nullish(),
    db_check: z.object({ db_match: z.boolean() }).nullish(),
    env_assertions: z.array(z.object({ met: z.boolean() })).nullish(),
    action_checks: z.array(z.object({ action: ActionShape })).nullish(),
  }),
});

const Info = z.object({
  git_commit: z.string().nullish(),
  agent_info: z.object({ llm: z.string().nullish() }).nullish(),
  environment_info: z.object({ domain_name: z.string().nullish() }).nullish(),
});

export function runsOfTau2File(
  file: Record<string, unknown>,
  shown: string,
): { at: string; make: () => RecordedRun }[] {
  const info = Info.safeParse(file['info'] ?? {});
  const tasks = new Map<string, z.infer<typeof Task>>();
  for (const raw of Array.isArray(file['tasks']) ? file['tasks'] : []) {
    const task = Task.safeParse(raw);
    if (task.success) tasks.set(task.data.id, task.data);
  }
  const simulations = z.array(z.unknown()).parse(file['simulations']);
  return simulations.map((raw, index) => {
    const at = `${shown}#simulations/${index}`;
    return { at, make: () => runOfSimulation(Simulation.parse(raw), tasks, info.data, at) };
  });
}

function runOfSimulation(
  simulation: z.infer<typeof Simulation>,
  tasks: ReadonlyMap<string, z.infer<typeof Task>>,
  info: z.infer<typeof Info> | undefined,
  at: string,
): RecordedRun {
  const task = tasks.get(simulation.task_id);
  if (task === undefined) {
    const message = `it names task "${simulation.task_id}", which is not among the ${tasks.size} tasks of the file`;
    throw new HarnessError('config_invalid', message);
  }
  const { reward, reward_breakdown, db_check, env_assertions, action_checks } = simulation.reward_info;
  const criteria = task.evaluation_criteria ?? undefined;
  const DB = db_check === undefined || db_check === null ? {} : { DB: Number(db_check.db_match) };
  const asked = env_assertions ?? [];
  const ENV_ASSERTION = asked.length === 0 ? {} : { ENV_ASSERTION: Number(asked.every(({ met }) => met)) };
  return {
    at,
    dialect: 'tau2',
    source: info?.git_commit ?? '',
    domain: info?.environment_info?.domain_name ?? '',
    model: info?.agent_info?.llm ?? '',
    taskId: simulation.task_id,
    trial: simulation.trial ?? 0,
    termination: simulation.termination_reason.replace(/^TerminationReason\./, '').toLowerCase(),
    messages: simulation.messages.map(recordedMessage),
    task: criteria === undefined ? undefined : { ...taskOfCriteria(criteria), goldDiff: undefined, instruction: '' },
    goldErrors: [],
    finalDiff: undefined,
    assertionResults: undefined,
    withoutWorlds: true,
    recorded: { reward, pass: reward >= 1 - 1e-6, components: { ...DB, ...ENV_ASSERTION, ...reward_breakdown } },
    judgedAgainst: action_checks?.map(({ action }) => goldOfAction(action)),
  };
}
