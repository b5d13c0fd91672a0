/** What must hold for any recorded runs when they are spoilt: a change left out, a task exchanged. */
import { expect } from 'vitest';
import { judgeRecorded } from '../../src/interop/tau/runs/judge-recorded.ts';
import type { RecordedRun } from '../../src/interop/tau/runs/recorded-run.ts';
import { createTaskCheck, readReferenceTasks } from '../../src/interop/tau/runs/reference-tasks.ts';
import { rejudge } from '../../src/interop/tau/runs/rejudge.ts';
import { readSet, rejudgeSet } from './recordings.ts';

/** Leaves out one operation of a passing run's end, each in turn: none may pass. Gives how many were left out. */
export async function expectNoDropPasses(folder: string, names: readonly string[]): Promise<number> {
  let dropped = 0;
  for (const name of names) {
    const { rows } = await rejudgeSet(folder, name);
    for (const { run } of rows.filter((row) => row.pass && (row.run.task?.basis.includes('DB') ?? false))) {
      for (const operation of run.finalDiff ?? []) {
        const less = judgeRecorded({ ...run, finalDiff: run.finalDiff?.filter((one) => one !== operation) });
        expect(less.ok && less.reward).toBe(0);
        dropped += 1;
      }
    }
  }
  return dropped;
}

/** Gives every run the task of the third after it; with the tasks at hand each is found. Gives the share that is found without. */
export async function shareOfForeignFound(folder: string, name: string): Promise<number> {
  const { runs } = await readSet(folder, name);
  const other = (index: number) => runs[(index + 3) % runs.length];
  const shifted = runs.map((run, index): RecordedRun => ({ ...run, task: other(index)?.task }));
  const same = runs.filter((run, index) => JSON.stringify(run.task) === JSON.stringify(other(index)?.task));
  const foreign = createTaskCheck(await readReferenceTasks(`${folder}/${name}`, name), name);
  expect(rejudge(name, { runs: shifted, faults: [] }, foreign).rows).toHaveLength(same.length);
  expect(rejudge(name, { runs, faults: [] }, foreign).refused).toEqual([]);
  // Without the tasks at hand the contradictions inside the rows must do.
  return rejudge(name, { runs: shifted, faults: [] }, () => []).refused.length / runs.length;
}
