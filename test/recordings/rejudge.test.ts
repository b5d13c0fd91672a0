/** Real recorded runs of tau-bench and tau2-bench: worth what their recordings say, split as they were counted. */
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { rejudgeCommand } from '../../src/cli/evaluate/rejudge.ts';
import { judgeRecorded } from '../../src/interop/tau/runs/judge-recorded.ts';
import { fakeIo } from '../cli/fake-io.ts';
import { expectNoDropPasses, shareOfForeignFound } from '../support/rejudged.ts';
import { REAL_RUNS, rejudgeSet, runFiles } from '../support/recordings.ts';

test('all 455 recorded runs are worth what their recordings say, in every part, in under a second of work', async () => {
  const before = process.threadCpuUsage();
  const sets = await Promise.all(runFiles(REAL_RUNS).map((name) => rejudgeSet(REAL_RUNS, name)));
  // Not the clock on the wall: other tests share the machine.
  const { user, system } = process.threadCpuUsage(before);
  expect(sets.map(({ n, agreed }) => [n, agreed])).toEqual(sets.map(({ n }) => [n, n]));
  expect(sets.reduce((sum, { agreed }) => sum + agreed, 0)).toBe(455);
  expect(sets.flatMap(({ rows }) => rows.flatMap(({ partsThatDiffer }) => partsThatDiffer))).toEqual([]);
  expect(sets.flatMap(({ rows }) => rows.flatMap(({ carried }) => carried))).toEqual([]);
  expect((user + system) / 1e6).toBeLessThan(1);
});

test('pass^1 to pass^4 of gpt-4o on the airline are the published row', async () => {
  const { passK } = await rejudgeSet(REAL_RUNS, 'tau1-airline-gpt-4o.jsonl.gz');
  expect(passK.map((value) => value.toFixed(4))).toEqual(['0.4200', '0.2733', '0.2200', '0.2000']);
});

test('with injected 503s the tool evidence stands in exactly 67 runs, and no other run blames layer 2', async () => {
  const { rows } = await rejudgeSet(REAL_RUNS, 'tau1-retail-grok-3-chaos.jsonl.gz');
  expect(rows.filter(({ toolFault }) => toolFault?.includes('503') === true)).toHaveLength(67);
  expect(rows.filter(({ toolFault }) => toolFault !== undefined)).toHaveLength(67);
  expect(rows.filter(({ layer }) => layer === 2)).toHaveLength(22);
  expect(rows.filter((row) => row.layer === 2 && row.toolFault === undefined)).toEqual([]);
  expect(rows.filter((row) => !row.pass && row.toolFault === undefined)).toHaveLength(15);
});

test('failures of the airline split as they were counted: end state 101, both 8, words 2, never ended 5', async () => {
  const { rows } = await rejudgeSet(REAL_RUNS, 'tau1-airline-gpt-4o.jsonl.gz');
  const failed = rows.filter(({ pass }) => !pass).map(({ run }) => judgeRecorded(run));
  const zero = (judged: (typeof failed)[number], part: 'DB' | 'COMMUNICATE') =>
    judged.ok && judged.components[part]?.value === 0;
  const ended = failed.filter((judged) => judged.ok && judged.ended);
  expect(failed.length - ended.length).toBe(5);
  const both = ended.filter((judged) => zero(judged, 'DB') && zero(judged, 'COMMUNICATE')).length;
  const db = ended.filter((judged) => zero(judged, 'DB')).length - both;
  const words = ended.filter((judged) => zero(judged, 'COMMUNICATE')).length - both;
  expect([db, both, words]).toEqual([101, 8, 2]);
});

test('a single operation that is dropped from a passing run is caught, each of them', async () => {
  expect(await expectNoDropPasses(REAL_RUNS, runFiles(REAL_RUNS))).toBeGreaterThan(500);
});

test('tasks of other rows under this id are refused, not judged', async () => {
  for (const name of runFiles(REAL_RUNS)) {
    const share = await shareOfForeignFound(REAL_RUNS, name);
    // The telecom tasks are all about one customer: only the tasks themselves tell them apart.
    if (!name.includes('telecom')) expect(share).toBeGreaterThan(0.6);
  }
});

test('tandem rejudge on all sets: 455 of 455', async () => {
  const io = fakeIo(resolve('.'));
  const names = runFiles(REAL_RUNS).map((name) => `${REAL_RUNS}/${name}`);
  expect(await rejudgeCommand(names, { json: true }, { io, signal: new AbortController().signal })).toBe(0);
  expect(io.json()).toMatchObject({ total: 455, agreed: 455 });
});
