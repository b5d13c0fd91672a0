/** `tandem batch` as its user meets it: real processes, gates, one decision, one cap, one report (C.4). */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { initScenario, lastJson, makeProject, spendLines, start, tandem } from '../support/cli.ts';

type Row = {
  run: string;
  status: string;
  exit: number;
  rate?: { value: number };
  gate?: { digest: string };
  usd: number;
};
const rowsOf = (json: Record<string, unknown>): Row[] => json['rows'] as Row[];

async function desks(...names: string[]): Promise<string> {
  const project = await makeProject();
  for (const name of names) await initScenario(project, name);
  return project;
}

describe('a batch over two scenarios', () => {
  let project: string;
  let first: Record<string, unknown>;

  beforeAll(async () => {
    project = await desks('desk-a', 'desk-b');
    const done = await tandem(project, [
      'batch',
      'scenarios/*',
      '--runs',
      '2',
      '--budget',
      '50',
      '--id',
      'bat',
      '--gates',
      'collect',
      '--json',
    ]);
    expect(done.code).toBe(4);
    first = lastJson(done);
    // One decision a scenario answers both of its runs, and no other command is offered.
    const decisions = [...done.stderr.matchAll(/gates approve (\S+) --digest \w+ --batch bat {3}# (.*)/g)];
    expect(decisions.map(([, run, what]) => [run, what])).toEqual([
      ['bat-001', 'desk-a: 2 runs with one design'],
      ['bat-002', 'desk-b: 2 runs with one design'],
    ]);
  });

  test('comes to rest at every gate: none blocks another', () => {
    expect(first).toMatchObject({ batch: 'bat', runs: 4, waiting: 4, met: 0, budgetUsd: 50 });
    expect(rowsOf(first).map(({ run }) => run)).toEqual(['bat-001', 'bat-002', 'bat-003', 'bat-004']);
  });

  test('shows which gates read the same, and one decision answers those and no others', async () => {
    const listed = await tandem(project, ['gates', 'list', '--batch', 'bat', '--json']);
    const groups = JSON.parse(listed.stdout) as { run: string; digest: string }[][];
    expect(groups.map((group) => group.length)).toEqual([2, 2]);
    const read = groups[0]?.[0];
    const wrong = ['gates', 'approve', read?.run ?? '', '--batch', 'bat', '--digest', 'f'.repeat(16)];
    expect((await tandem(project, wrong)).code).toBe(2);
    const approved = await tandem(project, [...wrong.slice(0, -1), read?.digest.slice(0, 16) ?? '', '--json']);
    const answer = lastJson(approved) as { approved: string[]; left: string[] };
    expect([answer.approved.length, answer.left.length]).toEqual([2, 2]);
  });

  test('goes on with what was answered; the rest still waits, and the exit code says so', async () => {
    const done = await tandem(project, ['batch', '--resume', 'bat', '--json']);
    const json = lastJson(done);
    expect(json).toMatchObject({ met: 2, waiting: 2 });
    expect(done.code).toBe(4);
    expect(
      rowsOf(json)
        .filter(({ status }) => status === 'succeeded')
        .map(({ exit }) => exit),
    ).toEqual([0, 0]);
  });

  test('ends with one report over all runs, in every format', async () => {
    const [, other] = JSON.parse(
      (await tandem(project, ['gates', 'list', '--batch', 'bat', '--json'])).stdout,
    ) as unknown[];
    expect(other).toBeUndefined();
    const [[read] = []] = JSON.parse((await tandem(project, ['gates', 'list', '--batch', 'bat', '--json'])).stdout) as {
      run: string;
      digest: string;
    }[][];
    await tandem(project, [
      'gates',
      'approve',
      read?.run ?? '',
      '--digest',
      read?.digest ?? '',
      '--accept',
      '--batch',
      'bat',
    ]);
    const done = await tandem(project, ['batch', '--resume', 'bat', '--junit', 'out/j.xml', '--json']);
    expect([done.code, lastJson(done)['met']]).toEqual([0, 4]);
    const folder = join(project, 'batches/bat');
    expect((await readdir(folder)).toSorted()).toEqual(['junit.xml', 'report.html', 'spend', 'summary.md']);
    expect(await readFile(join(folder, 'summary.md'), 'utf8')).toContain('# Batch `bat`: 4 met');
    expect(await readFile(join(project, 'out/j.xml'), 'utf8')).toContain('tests="4" failures="0"');
    const linked = await readFile(join(project, 'scenarios/desk-a/runs/bat-001/out/report.html'), 'utf8');
    expect(linked).toContain('Target met');
    const status = await tandem(project, ['batch', '--status', 'ba']);
    expect(status.stdout).toContain('4 met');
  });
});

test('a batch that is killed goes on where it stopped: no run is begun twice, no call is paid twice', async () => {
  const project = await desks('desk-a');
  const args = ['--on-gate', 'auto:demo', '--max-parallel', '2', '--json'];
  const child = start(project, ['batch', 'desk-a', '--runs', '3', '--id', 'bat', ...args]);
  await new Promise<void>((seen) =>
    child.stderr?.on('data', (text: string) => text.includes('every sample') && seen()),
  );
  child.kill('SIGKILL');
  await child.done;
  const done = await tandem(project, ['batch', '--resume', 'bat', ...args]);
  expect(done.code).toBe(0);
  expect(lastJson(done)).toMatchObject({ runs: 3, met: 3 });
  expect((await readdir(join(project, 'scenarios/desk-a/runs'))).toSorted()).toEqual(['bat-001', 'bat-002', 'bat-003']);
  const calls = await Promise.all(['bat-001', 'bat-002', 'bat-003'].map((run) => settledCalls(project, run)));
  for (const run of calls) expect(new Set(run).size).toBe(run.length);
  expect(new Set(calls.map((run) => run.length)).size).toBe(1);
});

async function settledCalls(project: string, run: string): Promise<string[]> {
  const lines = await spendLines(join(project, 'scenarios/desk-a/runs', run));
  return lines.flatMap(({ type, call }) => (type === 'settled' ? [call] : []));
}

test('one cap holds for all runs together: what it stops is paused, and a larger one lets it go on', async () => {
  const project = await desks('desk-a');
  const policy = ['--on-gate', 'auto:demo', '--json'];
  const stopped = await tandem(project, [
    'batch',
    'desk-a',
    '--runs',
    '2',
    '--budget',
    '0.35',
    '--id',
    'bat',
    ...policy,
  ]);
  expect(stopped.code).toBe(5);
  const spent = rowsOf(lastJson(stopped)).reduce((sum, { usd }) => sum + usd, 0);
  expect(spent).toBeLessThanOrEqual(0.35);
  expect(stopped.stderr).toContain('tandem batch --resume bat --budget');
  const done = await tandem(project, ['batch', '--resume', 'bat', '--budget', '20', ...policy]);
  expect([done.code, lastJson(done)['met']]).toEqual([0, 2]);
});

test('what one run cannot do leaves the others alone', async () => {
  const project = await desks('desk-a', 'desk-b');
  const script = join(project, 'scenarios/desk-b/simulation/init.yaml');
  await writeFile(script, (await readFile(script, 'utf8')).replace(/marker: .*/, "marker: '<never>'"));
  const done = await tandem(project, ['batch', 'desk-a', 'desk-b', '--on-gate', 'auto:demo', '--json']);
  expect(done.code).toBe(8);
  expect(rowsOf(lastJson(done)).map(({ status }) => status)).toEqual(['succeeded', 'errored']);
});

describe('a batch that cannot be begun says why, and writes nothing', () => {
  let project: string;
  beforeAll(async () => {
    project = await desks('desk-a');
  });

  test.each([
    [['batch'], 'Say which scenarios'],
    [['batch', 'scenarios/x*'], 'No scenario of'],
    [['batch', 'desk-a', '--runs', '0'], '--runs "0"'],
    [['batch', 'desk-a', '--on-gate', 'prompt'], 'a batch takes exit, wait or auto'],
    [['batch', '--resume', 'nope'], 'is no batch of this project'],
    [['batch', 'desk-a', '--continue'], '--continue needs --id'],
  ])('%j', async (args, message) => {
    const done = await tandem(project, args);
    expect(done.stderr).toContain(message);
    expect(done.code).toBe(2);
    expect(await readdir(join(project, 'scenarios/desk-a'))).not.toContain('runs');
  });
});
