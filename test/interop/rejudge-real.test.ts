import { expect } from 'vitest';
import { FOLDER, onRecordings, readSet, recordedFiles, rejudgeSet } from './rows.ts';
import { rejudge } from '../../src/interop/tau/runs/rejudge.ts';
import { judgeRecorded } from '../../src/interop/tau/runs/judge-recorded.ts';
import { foreignTo, readReferenceTasks } from '../../src/interop/tau/runs/reference-tasks.ts';
import type { RecordedRun } from '../../src/interop/tau/runs/recorded-run.ts';

onRecordings(
  'all 455 recorded runs are worth what their recordings say, in every part, in under a second of work',
  async () => {
    const before = process.threadCpuUsage();
    const sets = await Promise.all(recordedFiles().map(rejudgeSet));
    // Not the clock on the wall: other tests share the machine.
    const { user, system } = process.threadCpuUsage(before);
    expect(sets.map(({ n, agreed }) => [n, agreed])).toEqual(sets.map(({ n }) => [n, n]));
    expect(sets.reduce((sum, { agreed }) => sum + agreed, 0)).toBe(455);
    expect(sets.flatMap(({ rows }) => rows.flatMap(({ partsThatDiffer }) => partsThatDiffer))).toEqual([]);
    expect(sets.flatMap(({ rows }) => rows.flatMap(({ carried }) => carried))).toEqual([]);
    expect((user + system) / 1e6).toBeLessThan(1);
  },
);

onRecordings('pass^1 to pass^4 of gpt-4o on the airline are the published row', async () => {
  const { passK } = await rejudgeSet('tau1-airline-gpt-4o.jsonl.gz');
  expect(passK.map((value) => value.toFixed(4))).toEqual(['0.4200', '0.2733', '0.2200', '0.2000']);
});

onRecordings(
  'with injected 503s the tool evidence stands in exactly 67 runs, and no other run blames layer 2',
  async () => {
    const { rows } = await rejudgeSet('tau1-retail-grok-3-chaos.jsonl.gz');
    expect(rows.filter(({ toolFault }) => toolFault?.includes('503') === true)).toHaveLength(67);
    expect(rows.filter(({ toolFault }) => toolFault !== undefined)).toHaveLength(67);
    expect(rows.filter(({ layer }) => layer === 2)).toHaveLength(22);
    expect(rows.filter((row) => row.layer === 2 && row.toolFault === undefined)).toEqual([]);
    expect(rows.filter((row) => !row.pass && row.toolFault === undefined)).toHaveLength(15);
  },
);

onRecordings(
  'failures of the airline split as they were counted: end state 101, both 8, words 2, never ended 5',
  async () => {
    const { rows } = await rejudgeSet('tau1-airline-gpt-4o.jsonl.gz');
    const failed = rows.filter(({ pass }) => !pass).map(({ run }) => judgeRecorded(run));
    const zero = (judged: (typeof failed)[number], part: 'DB' | 'COMMUNICATE') =>
      judged.ok && judged.components[part]?.value === 0;
    const ended = failed.filter((judged) => judged.ok && judged.ended);
    expect(failed.length - ended.length).toBe(5);
    const both = ended.filter((judged) => zero(judged, 'DB') && zero(judged, 'COMMUNICATE')).length;
    const db = ended.filter((judged) => zero(judged, 'DB')).length - both;
    const words = ended.filter((judged) => zero(judged, 'COMMUNICATE')).length - both;
    expect([db, both, words]).toEqual([101, 8, 2]);
  },
);

onRecordings('a single operation that is dropped from a passing run is caught, each of them', async () => {
  let dropped = 0;
  for (const name of recordedFiles()) {
    const { rows } = await rejudgeSet(name);
    for (const { run } of rows.filter((row) => row.pass && (row.run.task?.basis.includes('DB') ?? false))) {
      for (const operation of run.finalDiff ?? []) {
        const less = judgeRecorded({ ...run, finalDiff: run.finalDiff?.filter((one) => one !== operation) });
        expect(less.ok && less.reward).toBe(0);
        dropped += 1;
      }
    }
  }
  expect(dropped).toBeGreaterThan(500);
});

onRecordings('tasks of other rows under this id are refused, not judged', async () => {
  const found: Record<string, [number, number]> = {};
  for (const name of recordedFiles()) {
    const { runs } = await readSet(name);
    const shifted = runs.map((run, index): RecordedRun => withTaskOf(run, runs[(index + 3) % runs.length] ?? run));
    const foreign = foreignTo(await readReferenceTasks(`${FOLDER}/${name}`, name), name);
    // Without the tasks at hand the contradictions inside the rows must do; with them every row is found.
    expect(rejudge(name, { runs: shifted, faults: [] }, foreign).rows).toHaveLength(sameTask(runs));
    expect(rejudge(name, { runs, faults: [] }, foreign).refused).toEqual([]);
    found[name] = [rejudge(name, { runs: shifted, faults: [] }, () => []).refused.length, runs.length];
  }
  // The telecom tasks are all about one customer: only the tasks themselves tell them apart.
  const shares = Object.entries(found)
    .filter(([name]) => !name.includes('telecom'))
    .map(([, [refused, all]]) => refused / all);
  expect(Math.min(...shares)).toBeGreaterThan(0.6);
});

function withTaskOf(run: RecordedRun, other: RecordedRun): RecordedRun {
  return { ...run, task: other.task };
}

function sameTask(runs: readonly RecordedRun[]): number {
  return runs.filter((run, index) => JSON.stringify(run.task) === JSON.stringify(runs[(index + 3) % runs.length]?.task))
    .length;
}
