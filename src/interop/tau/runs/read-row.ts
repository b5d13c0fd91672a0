/** Rows of recordings: of tau-bench with gold actions, of tau2-bench with evaluation criteria, both with both world diffs. */
import { z } from 'zod';
import { HarnessError } from '../../../errors.ts';
import { isJsonObject } from '../../../scenario/json/json-value.ts';
import { PatchOperation } from '../../../scenario/sample.ts';
import { MessageShape, recordedMessage } from './message-shapes.ts';
import { COMPONENTS, isFullReward, isReadingTool, type RecordedRun } from './recorded-run.ts';
import { Criteria, NumberOrText, Tau1Action, toTau1Task, toTau2Task } from './tasks.ts';

export const Breakdown = z.partialRecord(z.enum(COMPONENTS), z.number()).nullish();

const RowShape = z.object({
  source: z.string().nullish(),
  domain: z.string().nullish(),
  model: z.string().nullish(),
  task_id: NumberOrText,
  trial: z.int().nonnegative().nullish(),
  termination: z.string().nullable(),
  messages: z.array(MessageShape),
  gold_action_errors: z.array(z.unknown()).nullish(),
  final_db_diff: z.array(PatchOperation).nullish(),
  gold_db_diff: z.array(PatchOperation).nullish(),
});
const Tau1Row = RowShape.extend({
  gold_actions: z.array(Tau1Action),
  must_communicate: z.array(NumberOrText).nullish(),
  instruction: z.string().nullish(),
  recorded: z.object({ reward: z.number(), pass: z.union([z.number(), z.boolean()]).nullish() }),
});
const Tau2Row = RowShape.extend({
  evaluation_criteria: Criteria.nullable(),
  env_assertion_results: z.array(z.boolean()).nullish(),
  recorded: z.object({ reward: z.number(), breakdown: Breakdown }),
});

export function readRow(row: unknown, at: string): RecordedRun {
  if (!isJsonObject(row)) throw new HarnessError('config_invalid', 'it is no JSON object');
  if (Object.hasOwn(row, 'evaluation_criteria')) return readTau2Row(Tau2Row.parse(row), at);
  if (Object.hasOwn(row, 'gold_actions')) return readTau1Row(Tau1Row.parse(row), at);
  throw new HarnessError('config_invalid', 'it has neither gold_actions nor evaluation_criteria');
}

function readTau1Row(row: z.infer<typeof Tau1Row>, at: string): RecordedRun {
  const { reward, pass } = row.recorded;
  const isPass = pass === null || pass === undefined ? isFullReward(reward) : Number(pass) === 1;
  const task = toTau1Task(row.gold_actions, row.must_communicate ?? [], row.instruction ?? '');
  return {
    ...readCommon(row, at),
    dialect: 'tau1',
    termination: row.termination ?? 'max_steps',
    task: { ...task, goldDiff: row.gold_db_diff ?? undefined },
    goldErrors: (row.gold_action_errors ?? []).map((error) => ({ message: String(error), writes: false })),
    assertionResults: undefined,
    recorded: { reward, pass: isPass, components: {} },
  };
}

function readTau2Row(row: z.infer<typeof Tau2Row>, at: string): RecordedRun {
  const { evaluation_criteria: criteria, recorded } = row;
  const { reward, breakdown } = recorded;
  return {
    ...readCommon(row, at),
    dialect: 'tau2',
    termination: plainTermination(row.termination ?? ''),
    task: criteria === null ? undefined : { ...toTau2Task(criteria), goldDiff: row.gold_db_diff ?? undefined },
    goldErrors: (row.gold_action_errors ?? []).map(parseGoldError),
    assertionResults: row.env_assertion_results ?? undefined,
    recorded: { reward, pass: isFullReward(reward), components: breakdown ?? {} },
  };
}

function readCommon({ source, domain, model, task_id, trial, ...row }: z.infer<typeof RowShape>, at: string) {
  return {
    ...{ at, source: source ?? '', domain: domain ?? '', model: model ?? '', taskId: task_id, trial: trial ?? 0 },
    messages: row.messages.map(recordedMessage),
    finalDiff: row.final_db_diff ?? undefined,
    withoutWorlds: false,
  };
}

export function plainTermination(reason: string): string {
  return reason.replace(/^TerminationReason\./, '').toLowerCase();
}

/** Parses `[action id, tool, message]`. */
function parseGoldError(error: unknown): RecordedRun['goldErrors'][number] {
  if (!Array.isArray(error)) return { message: String(error), writes: false };
  const [id, tool, message] = error.map(String);
  return { message: `${tool} (${id}): ${message}`, writes: !isReadingTool(tool ?? '') };
}
