/** Recorded runs, ours in the shapes of tau-bench and tau2-bench: worth what they were worth when they were made. */
import { describe, expect, test } from 'vitest';
import { judgeRecorded } from '../../../../src/interop/tau/runs/judge-recorded.ts';
import { rejudge } from '../../../../src/interop/tau/runs/rejudge.ts';
import { FIXTURES, readSet, rejudgeSet, runFiles } from '../../../support/recordings.ts';
import { expectNoDropPasses, shareOfForeignFound } from '../../../support/rejudged.ts';

const ROWS = ['tau1-rows.jsonl.gz', 'tau2-rows.jsonl.gz'];
const FILES = runFiles(FIXTURES);

test.each(FILES)('%s: every run is worth what its recording says, in every part', async (name) => {
  const set = await rejudgeSet(FIXTURES, name);
  expect([set.agreed, set.refused]).toEqual([set.n, []]);
  expect(set.rows.flatMap(({ partsThatDiffer }) => partsThatDiffer)).toEqual([]);
  // Only a whole result file holds no worlds: its verdict on the end state is taken over, and said to be.
  const carried = new Set(set.rows.flatMap((row) => row.carried));
  expect([...carried]).toEqual(ROWS.includes(name) ? [] : ['DB']);
});

test('pass^1 and pass^2 of two trials of the same samples', async () => {
  const { n, passK } = await rejudgeSet(FIXTURES, 'tau1-rows.jsonl.gz');
  expect([n, passK]).toEqual([32, [0.6875, 0.625]]);
});

test('rows and whole results of the same trials come to the same verdicts', async () => {
  const verdicts = async (name: string) => {
    const { rows } = await rejudgeSet(FIXTURES, name);
    return rows.map(({ run, pass }) => [run.taskId, pass]);
  };
  expect(await verdicts('tau2-results.json.gz')).toEqual(await verdicts('tau2-rows.jsonl.gz'));
  const first = (await verdicts('tau1-rows.jsonl.gz')).slice(0, 16);
  expect(await verdicts('tau1-results.json.gz')).toEqual(first);
});

test('failures split as they were counted: end state 1, both 8, words 1', async () => {
  const { rows } = await rejudgeSet(FIXTURES, 'tau1-rows.jsonl.gz');
  const failed = rows.filter(({ pass }) => !pass).map(({ run }) => judgeRecorded(run));
  const parts = failed.map((judged) =>
    judged.ok ? Object.entries(judged.components).flatMap(([part, { value }]) => (value === 0 ? [part] : [])) : [],
  );
  const count = (...wanted: string[]) => parts.filter((own) => own.join() === wanted.join()).length;
  expect([count('DB'), count('DB', 'COMMUNICATE'), count('COMMUNICATE')]).toEqual([1, 8, 1]);
});

describe('spoilt recordings', () => {
  test('a single operation that is dropped from a passing run is caught, each of them', async () => {
    expect(await expectNoDropPasses(FIXTURES, ROWS)).toBeGreaterThan(80);
  });

  test.each(ROWS)('%s: tasks of other rows under this id are refused, not judged', async (name) => {
    expect(await shareOfForeignFound(FIXTURES, name)).toBeGreaterThan(0.6);
  });

  test.each(ROWS)('%s: a row whose calls were all removed is refused wherever its world changed', async (name) => {
    const { runs } = await readSet(FIXTURES, name);
    const isTalk = ({ role }: { role: string }) => role !== 'tool';
    const bare = runs.map((run) => ({
      ...run,
      messages: run.messages.filter(isTalk).map((message) => ({ ...message, calls: [] })),
    }));
    const set = rejudge('f', { runs: bare, faults: [] });
    const changed = runs.filter(({ finalDiff = [] }) => finalDiff.length > 0).map(({ at }) => at);
    expect(changed.length).toBeGreaterThan(5);
    expect(set.refused.filter(({ code }) => code === 'incoherent').map(({ at }) => at)).toEqual(changed);
  });

  test('a flipped reward disagrees, and only that row', async () => {
    const { runs } = await readSet(FIXTURES, 'tau2-rows.jsonl.gz');
    const [first, ...others] = runs;
    if (first === undefined) throw new Error('no runs');
    const flipped = { ...first, recorded: { ...first.recorded, reward: 1 - first.recorded.reward } };
    const set = rejudge('f', { runs: [flipped, ...others], faults: [] });
    expect([set.n, set.agreed, set.rows[0]?.agrees]).toEqual([16, 15, false]);
  });
});
