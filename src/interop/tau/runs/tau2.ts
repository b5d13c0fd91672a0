/** Recorded runs of tau2-bench: rows with evaluation criteria and both world diffs, and whole result files. */
import { z } from 'zod';
import { HarnessError } from '../../../errors.ts';
import { ActionShape, CriteriaShape, goldOfAction, taskOfCriteria } from './criteria-tau2.ts';
import {
  MessageShape,
  NumberOrText,
  recordedMessage,
  recordedRow,
  RowShape,
  WITHOUT_WORLDS,
} from './message-shapes.ts';
import { COMPONENTS, isFullReward, isReadingTool, type RecordedRun } from './recorded-run.ts';

const Breakdown = z.partialRecord(z.enum(COMPONENTS), z.number()).nullish();

const Row = RowShape.extend({
  evaluation_criteria: CriteriaShape.nullable(),
  env_assertion_results: z.array(z.boolean()).nullish(),
  recorded: z.object({ reward: z.number(), breakdown: Breakdown }),
});

export function runOfTau2Row(row: unknown, at: string): RecordedRun {
  const read = Row.parse(row);
  const { reward, breakdown } = read.recorded;
  const criteria = read.evaluation_criteria;
  return {
    ...recordedRow(read, at),
    dialect: 'tau2',
    termination: plainTermination(read.termination ?? ''),
    task: criteria === null ? undefined : { ...taskOfCriteria(criteria), goldDiff: read.gold_db_diff ?? undefined },
    goldErrors: (read.gold_action_errors ?? []).map(parseGoldError),
    assertionResults: read.env_assertion_results ?? undefined,
    recorded: { reward, pass: isFullReward(reward), components: breakdown ?? {} },
  };
}

function plainTermination(reason: string): string {
  return reason.replace(/^TerminationReason\./, '').toLowerCase();
}

/** Parses `[action id, tool, message]`. */
function parseGoldError(error: unknown): RecordedRun['goldErrors'][number] {
  if (!Array.isArray(error)) return { message: String(error), writes: false };
  const [id, tool, message] = error.map(String);
  return { message: `${tool} (${id}): ${message}`, writes: !isReadingTool(tool ?? '') };
}

export const TaskShape = z.object({ id: NumberOrText, evaluation_criteria: CriteriaShape.nullish() });

const Simulation = z.object({
  task_id: NumberOrText,
  trial: z.int().nonnegative().nullish(),
  termination_reason: z.string(),
  messages: z.array(MessageShape),
  reward_info: z.object({
    reward: z.number(),
    reward_breakdown: Breakdown,
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

type TasksById = ReadonlyMap<string, z.infer<typeof TaskShape>>;

export function runsOfTau2File(
  file: Record<string, unknown>,
  shown: string,
): { at: string; make: () => RecordedRun }[] {
  const { data: info } = Info.safeParse(file['info'] ?? {});
  const about = {
    source: info?.git_commit ?? '',
    domain: info?.environment_info?.domain_name ?? '',
    model: info?.agent_info?.llm ?? '',
  };
  const read = (Array.isArray(file['tasks']) ? file['tasks'] : []).flatMap(
    (raw) => TaskShape.safeParse(raw).data ?? [],
  );
  const tasks: TasksById = new Map(read.map((task) => [task.id, task]));
  return z
    .array(z.unknown())
    .parse(file['simulations'])
    .map((raw, index) => {
      const at = `${shown}#simulations/${index}`;
      return { at, make: () => ({ ...about, at, ...runOfSimulation(Simulation.parse(raw), tasks) }) };
    });
}

function runOfSimulation(
  simulation: z.infer<typeof Simulation>,
  tasks: TasksById,
): Omit<RecordedRun, 'at' | 'source' | 'domain' | 'model'> {
  const { task_id: taskId, trial, messages, reward_info } = simulation;
  const task = tasks.get(taskId);
  if (task === undefined) {
    const message = `it names task "${taskId}", which is not among the ${tasks.size} tasks of the file`;
    throw new HarnessError('config_invalid', message);
  }
  const { reward, reward_breakdown, db_check, env_assertions, action_checks } = reward_info;
  const { evaluation_criteria: criteria } = task;
  const DB = db_check === undefined || db_check === null ? {} : { DB: Number(db_check.db_match) };
  const assertions = env_assertions ?? [];
  const ENV_ASSERTION = assertions.length === 0 ? {} : { ENV_ASSERTION: Number(assertions.every(({ met }) => met)) };
  return {
    ...WITHOUT_WORLDS,
    ...{ dialect: 'tau2', taskId, trial: trial ?? 0 },
    termination: plainTermination(simulation.termination_reason),
    messages: messages.map(recordedMessage),
    task: criteria === undefined || criteria === null ? undefined : taskOfCriteria(criteria),
    recorded: { reward, pass: isFullReward(reward), components: { ...DB, ...ENV_ASSERTION, ...reward_breakdown } },
    judgedAgainst: action_checks?.map(({ action }) => goldOfAction(action)),
  };
}
