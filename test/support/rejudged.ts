/** What must hold for any recorded runs when they are spoilt: a change left out, a task exchanged. */
import { expect } from 'vitest';
import { judgeRecorded } from '../../src/interop/tau/runs/judge-recorded.ts';
import type { RecordedRun } from '../../src/interop/tau/runs/recorded-run.ts';
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

/** Gives every run the task of the third after it, and says which share is found by the contradictions inside the rows. */
export async function shareOfForeignFound(folder: string, name: string): Promise<number> {
  const { runs } = await readSet(folder, name);
  const shifted = runs.map((run, index): RecordedRun => ({ ...run, task: runs[(index + 3) % runs.length]?.task }));
  expect(rejudge(name, { runs, faults: [] }).refused).toEqual([]);
  return rejudge(name, { runs: shifted, faults: [] }).refused.length / runs.length;
}
