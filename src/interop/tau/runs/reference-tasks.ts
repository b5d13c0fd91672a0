/** Reads tasks from another file, and checks that every row of a recording has the named task in the same version. */
import { z } from 'zod';
import { HarnessError } from '../../../errors.ts';
import { sameJson } from '../../../scenario/json/json-value.ts';
import { tryForeignJson } from '../../foreign-text.ts';
import type { Doubt } from './mismatched-recordings.ts';
import { readNamedText } from '../../../disk/read-named-file.ts';
import { readRecorded } from './read-recorded.ts';
import type { RecordedRun, RecordedTask } from './recorded-run.ts';
import { Tau2Task, toTau2Task } from './tasks.ts';

const Tasks = z.array(Tau2Task).min(1);

/** `path` is a tau2-bench `tasks.json`, or any recording that contains its tasks. */
export async function readReferenceTasks(path: string, shown: string): Promise<ReadonlyMap<string, RecordedTask>> {
  const tasks = Tasks.safeParse(tryForeignJson(await readNamedText(path, shown)));
  if (tasks.success) {
    return new Map(
      tasks.data.flatMap(({ id, evaluation_criteria: criteria }) =>
        criteria === null || criteria === undefined ? [] : [[id, toTau2Task(criteria)] as const],
      ),
    );
  }
  const { runs } = await readRecorded(path, shown);
  const own = runs.flatMap(({ taskId, task }) => (task === undefined ? [] : [[taskId, task] as const]));
  if (own.length === 0) throw new HarnessError('config_invalid', `${shown}: holds no task to compare with.`);
  return new Map(own.toReversed());
}

/** Creates a check that lists contradictions between a row and its task in the reference. */
export function createTaskCheck(
  tasks: ReadonlyMap<string, RecordedTask>,
  shown: string,
): (run: RecordedRun) => Doubt[] {
  return ({ at, taskId, task }) => {
    if (task === undefined) return [];
    const own = tasks.get(taskId);
    if (own !== undefined && isSameTask(own, task)) return [];
    const real = [...tasks].find(([, other]) => isSameTask(other, task));
    const doubt = (code: Doubt['code'], message: string): Doubt[] => [{ code, at, message }];
    if (real !== undefined)
      return doubt('other-task', `it says task "${taskId}", and has the task "${real[0]}" of ${shown}`);
    if (own === undefined) return doubt('other-task', `${shown} has no task "${taskId}"`);
    const parts = listDifferences(own, task).join(', ');
    return doubt('other-design', `task "${taskId}" is of another version than in ${shown}: ${parts} differ`);
  };
}

function isSameTask(one: RecordedTask, other: RecordedTask): boolean {
  return listDifferences(one, other).length === 0;
}

function listDifferences(one: RecordedTask, other: RecordedTask): string[] {
  const pairs: [string, unknown, unknown][] = [
    ['gold calls', one.gold ?? [], other.gold ?? []],
    ['words to be said', one.mustSay, other.mustSay],
    ['reward basis', one.basis.toSorted(), other.basis.toSorted()],
    ['predicates', one.assertions ?? [], other.assertions ?? []],
    // A part that only one side has cannot differ: lists of tasks lack end states, tau2-bench lacks plain instructions.
    ['instructions', one.instruction || other.instruction, other.instruction || one.instruction],
    ['wanted ends', one.goldDiff ?? other.goldDiff, other.goldDiff ?? one.goldDiff],
  ];
  return pairs.filter(([, a, b]) => !sameJson(dropUndefined(a), dropUndefined(b))).map(([name]) => name);
}

/** Removes members that are undefined, because absent and undefined are the same here. */
function dropUndefined(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
