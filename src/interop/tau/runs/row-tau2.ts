/** A row of a recorded tau2-bench run: evaluation criteria, the two world diffs, and what the named predicates said. */
import { z } from 'zod';
import { PatchOperation } from '../../../scenario/sample.ts';
import { CriteriaShape, taskOfCriteria } from './criteria-tau2.ts';
import { MessageShape, recordedMessage } from './message-shapes.ts';
import { COMPONENTS, type RecordedRun } from './recorded-run.ts';

const Id = z.union([z.string(), z.number()]).transform(String);

const Tau2Row = z.object({
  source: z.string().nullish(),
  domain: z.string().nullish(),
  model: z.string().nullish(),
  task_id: Id,
  trial: z.int().nonnegative().nullish(),
  termination: z.string().nullable(),
  messages: z.array(MessageShape),
  evaluation_criteria: CriteriaShape.nullable(),
  gold_action_errors: z.array(z.unknown()).nullish(),
  final_db_diff: z.array(PatchOperation).nullish(),
  gold_db_diff: z.array(PatchOperation).nullish(),
  env_assertion_results: z.array(z.boolean()).nullish(),
  recorded: z.object({
    reward: z.number(),
    breakdown: z.partialRecord(z.enum(COMPONENTS), z.number()).nullish(),
  }),
});

const WHOLE = 1 - 1e-6;
/** A call of this name cannot have changed anything: its failure leaves the wanted end as it is. */
const READS = /^(get|find|list|search|check|calculate|think|view|show)_|^(calculate|think)$/;

export function runOfTau2Row(row: unknown, at: string): RecordedRun {
  const read = Tau2Row.parse(row);
  const { reward, breakdown } = read.recorded;
  const criteria = read.evaluation_criteria;
  return {
    at,
    dialect: 'tau2',
    source: read.source ?? '',
    domain: read.domain ?? '',
    model: read.model ?? '',
    taskId: read.task_id,
    trial: read.trial ?? 0,
    termination: (read.termination ?? '').replace(/^TerminationReason\./, '').toLowerCase(),
    messages: read.messages.map(recordedMessage),
    task:
      criteria === null
        ? undefined
        : { ...taskOfCriteria(criteria), goldDiff: read.gold_db_diff ?? undefined, instruction: '' },
    goldErrors: (read.gold_action_errors ?? []).map(goldErrorOf),
    finalDiff: read.final_db_diff ?? undefined,
    assertionResults: read.env_assertion_results ?? undefined,
    withoutWorlds: false,
    recorded: { reward, pass: reward >= WHOLE, components: breakdown ?? {} },
  };
}

/** `[action id, tool, message]`. */
function goldErrorOf(error: unknown): RecordedRun['goldErrors'][number] {
  if (!Array.isArray(error)) return { message: String(error), writes: false };
  const [id, tool, message] = error.map(String);
  return { message: `${tool} (${id}): ${message}`, writes: !READS.test(tool ?? '') };
}
