/** A row of a recorded tau-bench run (version 1): gold actions, words that must be said, and the two world diffs. */
import { z } from 'zod';
import { PatchOperation } from '../../../scenario/sample.ts';
import { MessageShape, recordedMessage } from './message-shapes.ts';
import type { GoldCall, RecordedRun } from './recorded-run.ts';

const Words = z.array(z.union([z.string(), z.number()]).transform(String));
const Id = z.union([z.string(), z.number()]).transform(String);
export const GoldActionShape = z.object({ name: z.string(), kwargs: z.record(z.string(), z.unknown()) });

const Tau1Row = z.object({
  source: z.string().nullish(),
  domain: z.string().nullish(),
  model: z.string().nullish(),
  task_id: Id,
  trial: z.int().nonnegative().nullish(),
  termination: z.string().nullable(),
  messages: z.array(MessageShape),
  gold_actions: z.array(GoldActionShape),
  gold_action_errors: z.array(z.unknown()).nullish(),
  must_communicate: Words.nullish(),
  instruction: z.string().nullish(),
  final_db_diff: z.array(PatchOperation).nullish(),
  gold_db_diff: z.array(PatchOperation).nullish(),
  recorded: z.object({ reward: z.number(), pass: z.union([z.number(), z.boolean()]).nullish() }),
});

/** Rewards are compared with 1 as the benchmark itself does it. */
const WHOLE = 1 - 1e-6;

export function runOfTau1Row(row: unknown, at: string): RecordedRun {
  const read = Tau1Row.parse(row);
  const { reward, pass } = read.recorded;
  return {
    at,
    dialect: 'tau1',
    source: read.source ?? '',
    domain: read.domain ?? '',
    model: read.model ?? '',
    taskId: read.task_id,
    trial: read.trial ?? 0,
    termination: read.termination ?? 'max_steps',
    messages: read.messages.map(recordedMessage),
    task: {
      gold: read.gold_actions.map(goldOf),
      mustSay: read.must_communicate ?? [],
      basis: ['DB', 'COMMUNICATE'],
      assertions: undefined,
      nlAssertions: 0,
      goldDiff: read.gold_db_diff ?? undefined,
      instruction: read.instruction ?? '',
    },
    goldErrors: (read.gold_action_errors ?? []).map((error) => ({ message: String(error), writes: false })),
    finalDiff: read.final_db_diff ?? undefined,
    assertionResults: undefined,
    withoutWorlds: false,
    recorded: {
      reward,
      pass: pass === null || pass === undefined ? reward >= WHOLE : Number(pass) === 1,
      components: {},
    },
  };
}

export function goldOf({ name, kwargs }: z.infer<typeof GoldActionShape>): GoldCall {
  return { tool: name, args: kwargs, by: 'assistant', compare: undefined };
}
