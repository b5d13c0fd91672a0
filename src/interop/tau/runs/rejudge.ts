/** Judges recorded runs again, file by file, and compares with the recorded rewards. */
import { passTable } from '../../../scenario/statistics/pass-k.ts';
import type { Layer } from '../../../scenario/result.ts';
import { blameRecorded, toolFaultIn } from './blame-recorded.ts';
import { doubtsAbout, mixedDesigns, type Doubt } from './doubts.ts';
import { judgeRecorded } from './judge-recorded.ts';
import type { RecordedFile } from './read-recorded.ts';
import type { RecordedRun } from './recorded-run.ts';

export type RefusedRow = { at: string; code: Doubt['code'] | 'unreadable' | 'incomplete'; message: string };

export type RejudgedRow = {
  run: RecordedRun;
  reward: number;
  pass: boolean;
  agrees: boolean;
  /** Parts of the reward that the recording names too, with another value. */
  partsThatDiffer: string[];
  /** Parts taken over from the recording, because it lacks what they depend on. */
  carried: string[];
  toolFault: string | undefined;
  layer?: Layer;
  why: string[];
};

export type RejudgedSet = {
  file: string;
  /** Rows in the file, refused ones too. */
  n: number;
  agreed: number;
  rows: RejudgedRow[];
  refused: RefusedRow[];
  /** pass^1, pass^2, … of the rows that were judged, as far as every task has trials. */
  passK: number[];
};

/** Rewards that differ by less are the same number, written by two programs. */
const EPSILON = 1e-6;

export function rejudge(
  file: string,
  { runs, faults }: RecordedFile,
  foreign: (run: RecordedRun) => Doubt[],
): RejudgedSet {
  const mixed = mixedDesigns(runs);
  const rows: RejudgedRow[] = [];
  const refused: RefusedRow[] = faults.map(({ at, message }) => ({ at, code: 'unreadable', message }));
  for (const run of runs) {
    const [doubt] = [...doubtsAbout(run), ...foreign(run), ...mixed.filter(({ at }) => at === run.at)];
    const judged = judgeRecorded(run);
    if (doubt !== undefined) refused.push(doubt);
    else if (!judged.ok) refused.push({ at: run.at, code: 'incomplete', message: judged.why });
    else rows.push(rowOf(run, judged));
  }
  const tasks = [...Map.groupBy(rows, ({ run }) => run.taskId).values()];
  const tallies = tasks.map((own) => ({ passed: own.filter(({ pass }) => pass).length, total: own.length }));
  const agreed = rows.filter(({ agrees }) => agrees).length;
  return { file, n: runs.length + faults.length, agreed, rows, refused, passK: passTable(tallies) };
}

function rowOf(run: RecordedRun, judged: ReturnType<typeof judgeRecorded> & { ok: true }): RejudgedRow {
  const { recorded } = run;
  // The first benchmark's rewards may be shaped (a part of 1 for a pass); what they share is whether it passed.
  const agrees =
    run.dialect === 'tau1' ? judged.pass === recorded.pass : Math.abs(judged.reward - recorded.reward) < EPSILON;
  const parts = Object.entries(judged.components);
  const there = new Map(Object.entries(recorded.components));
  const blame = judged.pass ? { why: [] } : blameRecorded(run, judged);
  return {
    run,
    reward: judged.reward,
    pass: judged.pass,
    agrees,
    partsThatDiffer: parts.flatMap(([name, { value }]) => {
      const before = there.get(name);
      return before === undefined || Math.abs(before - value) < EPSILON ? [] : [name];
    }),
    carried: parts.flatMap(([name, { by }]) => (by === 'recorded' ? [name] : [])),
    toolFault: toolFaultIn(run),
    ...blame,
  };
}
