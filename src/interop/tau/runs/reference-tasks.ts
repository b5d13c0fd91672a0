/** Tasks from another file: checks that every row of a recording has the task, and the version, that it names. */
import { z } from 'zod';
import { HarnessError } from '../../../errors.ts';
import { parseJson } from '../../../parse-json.ts';
import { sameJson } from '../../../scenario/json/json-value.ts';
import { taskOfCriteria } from './criteria-tau2.ts';
import type { Doubt } from './doubts.ts';
import { readRecorded, readText } from './read-recorded.ts';
import type { RecordedRun, RecordedTask } from './recorded-run.ts';
import { TaskShape } from './tau2.ts';

const Tasks = z.array(TaskShape).min(1);

/** `path` is a tau2-bench `tasks.json`, or any recording that carries its tasks. */
export async function readReferenceTasks(path: string, shown: string): Promise<ReadonlyMap<string, RecordedTask>> {
  const tasks = Tasks.safeParse(parseJson(await readText(path, shown)));
  if (tasks.success) {
    return new Map(
      tasks.data.flatMap(({ id, evaluation_criteria: criteria }) =>
        criteria === null || criteria === undefined ? [] : [[id, taskOfCriteria(criteria)] as const],
      ),
    );
  }
  const { runs } = await readRecorded(path, shown);
  const own = runs.flatMap(({ taskId, task }) => (task === undefined ? [] : [[taskId, task] as const]));
  if (own.length === 0) throw new HarnessError('config_invalid', `${shown}: holds no task to compare with.`);
  return new Map(own.toReversed());
}

/** Contradictions between a row and its task in the reference. */
export function foreignTo(tasks: ReadonlyMap<string, RecordedTask>, shown: string): (run: RecordedRun) => Doubt[] {
  return ({ at, taskId, task }) => {
    if (task === undefined) return [];
    const own = tasks.get(taskId);
    if (own !== undefined && isSameTask(own, task)) return [];
    const real = [...tasks].find(([, other]) => isSameTask(other, task));
    const doubt = (code: Doubt['code'], message: string): Doubt[] => [{ code, at, message }];
    if (real !== undefined)
      return doubt('other-task', `it says task "${taskId}", and has the task "${real[0]}" of ${shown}`);
    if (own === undefined) return doubt('other-task', `${shown} has no task "${taskId}"`);
    const parts = differences(own, task).join(', ');
    return doubt('other-design', `task "${taskId}" is of another version than in ${shown}: ${parts} differ`);
  };
}

function isSameTask(one: RecordedTask, other: RecordedTask): boolean {
  return differences(one, other).length === 0;
}

function differences(one: RecordedTask, other: RecordedTask): string[] {
  const pairs: [string, unknown, unknown][] = [
    ['gold calls', one.gold ?? [], other.gold ?? []],
    ['words to be said', one.mustSay, other.mustSay],
    ['reward basis', one.basis.toSorted(), other.basis.toSorted()],
    ['predicates', one.assertions ?? [], other.assertions ?? []],
    // What only one side has cannot differ: a list of tasks has no wanted ends, tau2-bench no plain instruction.
    ['instructions', one.instruction || other.instruction, other.instruction || one.instruction],
    ['wanted ends', one.goldDiff ?? other.goldDiff, other.goldDiff ?? one.goldDiff],
  ];
  return pairs.filter(([, a, b]) => !sameJson(plain(a), plain(b))).map(([name]) => name);
}

/** Without members that are undefined: absent and undefined are the same here. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
