/** Recorded runs of tau-bench: rows with gold actions and both world diffs, and whole result files. */
import { z } from 'zod';
import {
  MessageShape,
  NumberOrText,
  recordedMessage,
  recordedRow,
  RowShape,
  WITHOUT_WORLDS,
} from './message-shapes.ts';
import { isFullReward, type RecordedMessage, type RecordedRun, type RecordedTask } from './recorded-run.ts';

const ActionShape = z.object({ name: z.string(), kwargs: z.record(z.string(), z.unknown()) });

const Row = RowShape.extend({
  gold_actions: z.array(ActionShape),
  must_communicate: z.array(NumberOrText).nullish(),
  instruction: z.string().nullish(),
  recorded: z.object({ reward: z.number(), pass: z.union([z.number(), z.boolean()]).nullish() }),
});

export function runOfTau1Row(row: unknown, at: string): RecordedRun {
  const read = Row.parse(row);
  const { reward, pass } = read.recorded;
  return {
    ...recordedRow(read, at),
    dialect: 'tau1',
    termination: read.termination ?? 'max_steps',
    task: {
      ...toRecordedTask(read.gold_actions, read.must_communicate ?? [], read.instruction ?? ''),
      goldDiff: read.gold_db_diff ?? undefined,
    },
    goldErrors: (read.gold_action_errors ?? []).map((error) => ({ message: String(error), writes: false })),
    assertionResults: undefined,
    recorded: {
      reward,
      pass: pass === null || pass === undefined ? isFullReward(reward) : Number(pass) === 1,
      components: {},
    },
  };
}

function toRecordedTask(
  actions: readonly z.infer<typeof ActionShape>[],
  mustSay: string[],
  instruction: string,
): RecordedTask {
  return {
    gold: actions.map(({ name, kwargs }) => ({ tool: name, args: kwargs, by: 'assistant', compare: undefined })),
    mustSay,
    basis: ['DB', 'COMMUNICATE'],
    assertions: undefined,
    nlAssertions: 0,
    goldDiff: undefined,
    instruction,
  };
}

const Truth = z.union([z.boolean(), z.number()]).transform(Number);

const Record = z.object({
  task_id: NumberOrText,
  trial: z.int().nonnegative().default(0),
  reward: z.number(),
  info: z.object({
    task: z
      .object({
        instruction: z.string().default(''),
        actions: z.array(ActionShape),
        outputs: z.array(NumberOrText).default([]),
      })
      .optional(),
    reward_info: z.object({ info: z.object({ r_actions: Truth.optional(), r_outputs: Truth.optional() }) }).nullish(),
  }),
  traj: z.array(MessageShape).default([]),
});

/** The only call that ends an episode of the benchmark. */
const TRANSFER = 'transfer_to_human_agents';
const STOP = '###STOP###';

export function runsOfTau1File(records: readonly unknown[], shown: string): { at: string; make: () => RecordedRun }[] {
  return records.map((record, index) => {
    const at = `${shown}#${index}`;
    return { at, make: () => runOfRecord(Record.parse(record), at) };
  });
}

function runOfRecord({ task_id, trial, reward, info, traj }: z.infer<typeof Record>, at: string): RecordedRun {
  const messages = traj.map(recordedMessage);
  const { actions = [], outputs = [], instruction = '' } = info.task ?? {};
  return {
    ...WITHOUT_WORLDS,
    ...{ at, dialect: 'tau1', source: at, domain: '', model: '', taskId: task_id, trial },
    termination: findTermination(messages),
    messages,
    task: toRecordedTask(actions, outputs, instruction),
    recorded: { reward, pass: isFullReward(reward), components: readComponents(reward, info.reward_info?.info) },
  };
}

/** The recording contains the verdict on the world only when no words were required or all were used. */
function readComponents(
  reward: number,
  info: { r_actions?: number | undefined; r_outputs?: number | undefined } | undefined,
): RecordedRun['recorded']['components'] {
  if (info?.r_actions !== undefined) return { DB: info.r_actions };
  if (info?.r_outputs === undefined) return {};
  return info.r_outputs === 1 ? { DB: reward, COMMUNICATE: 1 } : { COMMUNICATE: 0 };
}

function findTermination(messages: readonly RecordedMessage[]): string {
  if (messages.some(({ role, text }) => role === 'user' && text.includes(STOP))) return 'stop';
  return messages.some(({ calls }) => calls[0]?.tool === TRANSFER) ? 'transfer' : 'max_steps';
}
