/** Whole result files of tau-bench and tau2-bench, which hold no worlds. */
import { z } from 'zod';
import { HarnessError } from '../../../errors.ts';
import type { JsonObject } from '../../../scenario/json/json-value.ts';
import { MessageShape, recordedMessage } from './message-shapes.ts';
import { Breakdown, plainTermination } from './read-row.ts';
import { isFullReward, type RecordedMessage, type RecordedRun, type RecordedTask } from './recorded-run.ts';
import { NumberOrText, Tau1Action, Tau2Action, Tau2Task, toGoldCall, toTau1Task, toTau2Task } from './tasks.ts';

/** A run of a file; an unreadable one throws only when it is made. */
export type RunMaker = { at: string; make: () => RecordedRun };

const WITHOUT_WORLDS = {
  goldErrors: [],
  finalDiff: undefined,
  assertionResults: undefined,
  withoutWorlds: true,
} satisfies Partial<RecordedRun>;

const Truth = z.union([z.boolean(), z.number()]).transform(Number);
const Tau1Verdict = z.object({ r_actions: Truth.optional(), r_outputs: Truth.optional() });
const Tau1Record = z.object({
  task_id: NumberOrText,
  trial: z.int().nonnegative().default(0),
  reward: z.number(),
  info: z.object({
    task: z
      .object({
        instruction: z.string().default(''),
        actions: z.array(Tau1Action),
        outputs: z.array(NumberOrText).default([]),
      })
      .optional(),
    reward_info: z.object({ info: Tau1Verdict }).nullish(),
  }),
  traj: z.array(MessageShape).default([]),
});

export function listTau1Runs(records: readonly unknown[], shown: string): RunMaker[] {
  return records.map((record, index) => {
    const at = `${shown}#${index}`;
    return { at, make: () => readTau1Record(Tau1Record.parse(record), at) };
  });
}

function readTau1Record({ task_id, trial, reward, info, traj }: z.infer<typeof Tau1Record>, at: string): RecordedRun {
  const messages = traj.map(recordedMessage);
  const { actions = [], outputs = [], instruction = '' } = info.task ?? {};
  return {
    ...WITHOUT_WORLDS,
    ...{ at, dialect: 'tau1', source: at, domain: '', model: '', taskId: task_id, trial },
    termination: findTermination(messages),
    messages,
    task: toTau1Task(actions, outputs, instruction),
    recorded: { reward, pass: isFullReward(reward), components: readComponents(reward, info.reward_info?.info) },
  };
}

/** The recording contains the verdict on the world only when no words were required or all were used. */
function readComponents(
  reward: number,
  info: z.infer<typeof Tau1Verdict> | undefined,
): RecordedRun['recorded']['components'] {
  if (info?.r_actions !== undefined) return { DB: info.r_actions };
  if (info?.r_outputs === undefined) return {};
  return info.r_outputs === 1 ? { DB: reward, COMMUNICATE: 1 } : { COMMUNICATE: 0 };
}

/** The only call that ends an episode of tau-bench. */
const TRANSFER = 'transfer_to_human_agents';
const STOP = '###STOP###';

function findTermination(messages: readonly RecordedMessage[]): string {
  if (messages.some(({ role, text }) => role === 'user' && text.includes(STOP))) return 'stop';
  return messages.some(({ calls }) => calls[0]?.tool === TRANSFER) ? 'transfer' : 'max_steps';
}

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
    action_checks: z.array(z.object({ action: Tau2Action })).nullish(),
  }),
});

const Info = z.object({
  git_commit: z.string().nullish(),
  agent_info: z.object({ llm: z.string().nullish() }).nullish(),
  environment_info: z.object({ domain_name: z.string().nullish() }).nullish(),
});

export function listTau2Runs({ info, tasks, simulations }: JsonObject, shown: string): RunMaker[] {
  const { data } = Info.safeParse(info ?? {});
  const about = {
    source: data?.git_commit ?? '',
    domain: data?.environment_info?.domain_name ?? '',
    model: data?.agent_info?.llm ?? '',
  };
  const read = (Array.isArray(tasks) ? tasks : []).flatMap((raw) => Tau2Task.safeParse(raw).data ?? []);
  const byId = new Map(
    read.map(({ id, evaluation_criteria: criteria }) => [
      id,
      { task: criteria === undefined || criteria === null ? undefined : toTau2Task(criteria) },
    ]),
  );
  return z
    .array(z.unknown())
    .parse(simulations)
    .map((raw, index) => {
      const at = `${shown}#simulations/${index}`;
      return { at, make: () => ({ ...about, at, ...readSimulation(Simulation.parse(raw), byId) }) };
    });
}

function readSimulation(
  { task_id: taskId, trial, messages, termination_reason, reward_info }: z.infer<typeof Simulation>,
  tasks: ReadonlyMap<string, { task: RecordedTask | undefined }>,
): Omit<RecordedRun, 'at' | 'source' | 'domain' | 'model'> {
  const known = tasks.get(taskId);
  if (known === undefined) {
    const message = `it names task "${taskId}", which is not among the ${tasks.size} tasks of the file`;
    throw new HarnessError('config_invalid', message);
  }
  const { reward, reward_breakdown, db_check, env_assertions, action_checks } = reward_info;
  const checks = env_assertions ?? [];
  const components = {
    ...(db_check !== undefined && db_check !== null && { DB: Number(db_check.db_match) }),
    ...(checks.length > 0 && { ENV_ASSERTION: Number(checks.every(({ met }) => met)) }),
    ...reward_breakdown,
  };
  return {
    ...WITHOUT_WORLDS,
    ...{ dialect: 'tau2', taskId, trial: trial ?? 0, task: known.task },
    termination: plainTermination(termination_reason),
    messages: messages.map(recordedMessage),
    recorded: { reward, pass: isFullReward(reward), components },
    judgedAgainst: action_checks?.map(({ action }) => toGoldCall(action)),
  };
}
