/** A whole result file of tau-bench: a list of records, each with its task, its reward and its messages. */
import { z } from 'zod';
import { MessageShape, recordedMessage } from './message-shapes.ts';
import type { RecordedMessage, RecordedRun } from './recorded-run.ts';
import { GoldActionShape, goldOf } from './row-tau1.ts';

const Truth = z.union([z.boolean(), z.number()]).transform(Number);

const Record = z.object({
  task_id: z.union([z.string(), z.number()]).transform(String),
  trial: z.int().nonnegative().default(0),
  reward: z.number(),
  info: z.object({
    task: z
      .object({
        instruction: z.string().default(''),
        actions: z.array(GoldActionShape),
        outputs: z.array(z.union([z.string(), z.number()]).transform(String)).default([]),
      })
      .optional(),
    reward_info: z.object({ info: z.object({ r_actions: Truth.optional(), r_outputs: Truth.optional() }) }).nullish(),
  }),
  traj: z.array(MessageShape).default([]),
});

/** The one call that ends an episode of the benchmark. */
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
  const { task } = info;
  return {
    at,
    dialect: 'tau1',
    source: at,
    domain: '',
    model: '',
    taskId: task_id,
    trial,
    termination: terminationOf(messages),
    messages,
    task: {
      gold: (task?.actions ?? []).map(goldOf),
      mustSay: task?.outputs ?? [],
      basis: ['DB', 'COMMUNICATE'],
      assertions: undefined,
      nlAssertions: 0,
      goldDiff: undefined,
      instruction: task?.instruction ?? '',
    },
    goldErrors: [],
    finalDiff: undefined,
    assertionResults: undefined,
    withoutWorlds: true,
    recorded: { reward, pass: reward >= 1 - 1e-6, components: componentsOf(reward, info.reward_info?.info) },
  };
}

/** The recording keeps the verdict on the world only where no words were asked for, or where all of them were said. */
function componentsOf(
  reward: number,
  info: { r_actions?: number | undefined; r_outputs?: number | undefined } | undefined,
): RecordedRun['recorded']['components'] {
  if (info?.r_actions !== undefined) return { DB: info.r_actions };
  if (info?.r_outputs === undefined) return {};
  return info.r_outputs === 1 ? { DB: reward, COMMUNICATE: 1 } : { COMMUNICATE: 0 };
}

function terminationOf(messages: readonly RecordedMessage[]): string {
  if (messages.some(({ role, text }) => role === 'user' && text.includes(STOP))) return 'stop';
  return messages.some(({ calls }) => calls[0]?.tool === TRANSFER) ? 'transfer' : 'max_steps';
}
