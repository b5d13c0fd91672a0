/** Tasks from another file, to hold a recording against: is every row of the task, and of the version, that it names? */
import { z } from 'zod';
import { HarnessError } from '../../../errors.ts';
import { sameJson } from '../../../scenario/json/json-value.ts';
import { CriteriaShape, taskOfCriteria } from './criteria-tau2.ts';
import type { Doubt } from './doubts.ts';
import { readRecorded, readText } from './read-recorded.ts';
import type { RecordedRun, RecordedTask } from './recorded-run.ts';

type Reference = Omit<RecordedTask, 'nlAssertions'>;

const Id = z.union([z.string(), z.number()]).transform(String);
const Tasks = z.array(z.object({ id: Id, evaluation_criteria: CriteriaShape.nullish() })).min(1);

/** `path` is a tau2-bench `tasks.json`, or any recording that carries its tasks. */
export async function readReferenceTasks(path: string, shown: string): Promise<ReadonlyMap<string, Reference>> {
  const tasks = Tasks.safeParse(tryJson(await readText(path, shown)));
  if (tasks.success) {
    return new Map(
      tasks.data.flatMap(({ id, evaluation_criteria: criteria }) =>
        criteria === null || criteria === undefined
          ? []
          : [[id, { ...taskOfCriteria(criteria), goldDiff: undefined, instruction: '' }] as const],
      ),
    );
  }
  const { runs } = await readRecorded(path, shown);
  const own = runs.flatMap(({ taskId, task }) => (task === undefined ? [] : [[taskId, task] as const]));
  if (own.length === 0) throw new HarnessError('config_invalid', `${shown}: holds no task to compare with.`);
  return new Map(own.toReversed());
}

/** What a row claims that its task, as the reference has it, does not say. */
export function foreignTo(tasks: ReadonlyMap<string, Reference>, shown: string): (run: RecordedRun) => Doubt[] {
  return ({ at, taskId, task }) => {
    if (task === undefined) return [];
    const own = tasks.get(taskId);
    if (own !== undefined && isSameTask(own, task)) return [];
    const real = [...tasks].find(([, other]) => isSameTask(other, task));
    if (real !== undefined) {
      return [
        { code: 'other-task', at, message: `it says task "${taskId}", and has the task "${real[0]}" of ${shown}` },
      ];
    }
    const message =
      own === undefined
        ? `${shown} has no task "${taskId}"`
        : `task "${taskId}" is of another version than in ${shown}: ${differences(own, task).join(', ')} differ`;
    return [{ code: own === undefined ? 'other-task' : 'other-design', at, message }];
  };
}

function isSameTask(one: Reference, other: Reference): boolean {
  return differences(one, other).length === 0;
}

function differences(one: Reference, other: Reference): string[] {
  const pairs: [string, unknown, unknown][] = [
    ['gold calls', one.gold ?? [], other.gold ?? []],
    ['words to be said', one.mustSay, other.mustSay],
    ['reward basis', one.basis.toSorted(), other.basis.toSorted()],
    ['predicates', one.assertions ?? [], other.assertions ?? []],
    // What only one side holds cannot differ: a list of tasks has no wanted ends, tau2-bench no plain instruction.
    ['instructions', one.instruction || other.instruction, other.instruction || one.instruction],
    ['wanted ends', one.goldDiff ?? other.goldDiff, other.goldDiff ?? one.goldDiff],
  ];
  return pairs.filter(([, a, b]) => !sameJson(plain(a), plain(b))).map(([name]) => name);
}

/** Without members that are undefined: absent and undefined are the same here. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (notJson) {
    void notJson;
    return undefined;
  }
}
