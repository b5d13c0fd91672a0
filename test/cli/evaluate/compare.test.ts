import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blessCommand, compareCommand } from '../../../src/cli/evaluate/compare.ts';
import type { Baseline } from '../../../src/scenario/statistics/compare-baseline.ts';
import { Results } from '../../../src/scenario/result.ts';
import { importedResults } from '../../../src/interop/imported-results.ts';
import { statisticsCommand } from '../../../src/cli/evaluate/statistics.ts';
import { scratch } from '../../support/scratch.ts';
import { sampleOf } from '../../scenario/results-of.ts';
import { fakeIo, type FakeIo } from '../fake-io.ts';

/** `{a: 'ppp'}` is a sample with three passed trials. */
async function iteration(
  io: FakeIo,
  run: string,
  samples: Record<string, string>,
  tasks = 'one design',
): Promise<string> {
  const trials = Object.entries(samples).flatMap(([sample, outcomes]) =>
    sampleOf(sample, outcomes).trials.map((result) => ({ sample, title: sample, category: 'c', result, why: [] })),
  );
  const dir = join(io.cwd, 'scenarios/desk/runs', run, 'execution_outputs/iteration_1');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'results.json'), JSON.stringify(importedResults(trials, tasks)));
  return dir;
}

test('a blessed iteration is held against the next one; a regression is exit code 1', async () => {
  const io = fakeIo(await scratch());
  const before = await iteration(io, 'one', { a: 'pppp', b: 'pppp' });
  const now = await iteration(io, 'two', { a: 'ffff', b: 'pppf' });
  expect(await blessCommand(before, { comment: 'release 1' }, io)).toBe(0);
  const file = join(io.cwd, 'scenarios/desk/baseline.json');
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    blessedBy: 'user:ada',
    comment: 'release 1',
    samples: { a: { passed: 4, total: 4 } },
  });
  expect(await compareCommand(before, { failOn: 'soft' }, io)).toBe(0);
  expect(await compareCommand(now, { failOn: 'regression', json: true }, io)).toBe(1);
  expect(io.json()).toMatchObject({
    label: 'regression',
    samples: [
      { id: 'a', label: 'regression' },
      { id: 'b', label: 'flaky' },
    ],
  });
  expect(await compareCommand(now, { failOn: 'never' }, io)).toBe(0);
  expect(io.lines.some((line) => line.includes('flaky') && line.includes('b: 4 of 4 -> 3 of 4'))).toBe(true);
});

test('numbers of checkers are blessed, compared and shown, and change neither the label nor the exit code', async () => {
  const io = fakeIo(await scratch());
  const scored = async (run: string, score: number): Promise<string> => {
    const dir = await iteration(io, run, { a: 'pp', b: 'pp', c: 'pp' });
    const file = join(dir, 'results.json');
    const results = Results.parse(JSON.parse(await readFile(file, 'utf8')));
    const verdict = { checker: 'words', pass: true, reason: 'r', evidence: [], score };
    for (const { trials } of results.samples) for (const trial of trials) trial.verdicts.push(verdict);
    await writeFile(file, JSON.stringify(results));
    return dir;
  };
  expect(await blessCommand(await scored('one', 0.8), {}, io)).toBe(0);
  const now = await scored('two', 0.5);
  expect(await compareCommand(now, { failOn: 'soft', json: true }, io)).toBe(0);
  expect(io.json()).toMatchObject({ label: 'same', metrics: [{ checker: 'words', name: 'score', label: 'lower' }] });
  await compareCommand(now, { failOn: 'soft' }, io);
  expect(io.lines.at(-2)).toContain('words.score: 0.8 -> 0.5 (-0.3, 95 % interval -0.3 to -0.3)');
  await statisticsCommand(now, {}, io);
  expect(io.lines.at(-1)).toContain('words.score 0.5 (95 % interval 0.5 to 0.5): 6 trials of 3 samples');
});

test('an evaluation of a scenario is blessed and compared like an iteration', async () => {
  const io = fakeIo(await scratch());
  const dir = await iteration(io, 'one', { a: 'pppp' });
  const evaluation = join(io.cwd, 'scenarios/desk/evaluations/1');
  await cp(dir, evaluation, { recursive: true });
  expect(await blessCommand(evaluation, {}, io)).toBe(0);
  expect(await readFile(join(io.cwd, 'scenarios/desk/baseline.json'), 'utf8')).toContain('"a"');
  expect(await compareCommand(evaluation, { failOn: 'soft' }, io)).toBe(0);
});

test('a comparison with trials that have no verdict is incomplete: exit 6, with the rate of before, whatever fails a job', async () => {
  const io = fakeIo(await scratch());
  expect(await blessCommand(await iteration(io, 'one', { a: 'pppp', b: 'ppff' }), {}, io)).toBe(0);
  const now = await iteration(io, 'two', { a: 'uuuu', b: 'uuuu' });
  for (const failOn of ['regression', 'soft', 'never']) expect(await compareCommand(now, { failOn }, io)).toBe(6);
  expect(io.lines[2]).toMatch(/^incomplete: /);
  expect(io.lines).toContainEqual(expect.stringMatching(/Target 85 %: incomplete .*Against this number: INCOMPLETE/));
  expect(io.lines.join('\n')).toContain('75 % before');
});

test('headline and lines say the same: what got better is counted as better, and a sample that dies is exit code 1', async () => {
  const io = fakeIo(await scratch());
  expect(await blessCommand(await iteration(io, 'one', { a: 'pppp', b: 'ffff', c: 'pfff' }), {}, io)).toBe(0);
  const now = await iteration(io, 'two', { a: 'ffff', b: 'pppp', c: 'ppff' });
  expect(await compareCommand(now, { failOn: 'regression' }, io)).toBe(1);
  expect(io.lines[2]).toMatch(/^regression: /);
  expect(io.lines).toContainEqual(expect.stringMatching(/regression +a: 4 of 4 -> 0 of 4, p 0.014/));
  expect(io.lines).toContain('  1 worse, 2 better, 0 the same');
});

test('results are added to a rolling baseline, the last n of which stay; another set of components begins anew', async () => {
  const io = fakeIo(await scratch());
  const file = join(io.cwd, 'scenarios/desk/baseline.json');
  const bless = async (run: string, samples: Record<string, string>) => {
    await blessCommand(await iteration(io, run, samples), { rolling: '3', owner: 'team:desk' }, io);
    return (JSON.parse(await readFile(file, 'utf8')) as Baseline).rolling;
  };
  for (const run of ['one', 'two', 'three']) await bless(run, { a: 'pppp', b: 'pfff' });
  const rolling = await bless('four', { a: 'pppp', b: 'pfff' });
  expect(rolling?.history.map(({ run }) => run)).toEqual(['two', 'three', 'four'].map(() => 'iteration_1'));
  expect(rolling?.quarantine['b']).toMatchObject({ owner: 'team:desk', why: '3 of 12 trials pass' });
  expect(await compareCommand(await iteration(io, 'five', { a: 'pppp', b: 'ffff' }), { failOn: 'soft' }, io)).toBe(0);
  expect(io.lines.join('\n')).toMatch(/b decides nothing since \d{4}-\d\d-\d\d: 3 of 12 trials pass; owner team:desk/);
  expect(await compareCommand(await iteration(io, 'six', { a: 'ffff', b: 'pppp' }), { failOn: 'regression' }, io)).toBe(
    1,
  );
});

test('nothing is blessed by comparing', async () => {
  const io = fakeIo(await scratch());
  const dir = await iteration(io, 'one', { a: 'pppp' });
  await expect(compareCommand(dir, { failOn: 'regression' }, io)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('tandem bless'),
  });
  await expect(readFile(join(io.cwd, 'scenarios/desk/baseline.json'))).rejects.toThrow('ENOENT');
});

test('results of another design are refused, not compared', async () => {
  const io = fakeIo(await scratch());
  await blessCommand(await iteration(io, 'one', { a: 'pppp' }), {}, io);
  const other = await iteration(io, 'two', { a: 'pppp' }, 'another design');
  await expect(compareCommand(other, { failOn: 'regression' }, io)).rejects.toMatchObject({ code: 'version_mismatch' });
});

test('what cannot be used is refused in one sentence', async () => {
  const io = fakeIo(await scratch());
  const dir = await iteration(io, 'one', { a: 'uu' });
  await expect(blessCommand(dir, {}, io)).rejects.toMatchObject({ code: 'usage' });
  await expect(compareCommand(dir, { failOn: 'always' }, io)).rejects.toMatchObject({ code: 'usage' });
  await writeFile(join(io.cwd, 'scenarios/desk/baseline.json'), '{}');
  await expect(compareCommand(dir, { failOn: 'soft' }, io)).rejects.toMatchObject({ code: 'data_corrupt' });
});

test.each([
  ['notes.txt', 'no results'],
  ['notes.json', 'no results'],
  ['other.json', '{"a":1}'],
])('a named baseline %s that is none is named, with what makes one', async (name, text) => {
  const io = fakeIo(await scratch());
  const dir = await iteration(io, 'one', { a: 'pppp' });
  await writeFile(join(io.cwd, name), text);
  const compared = compareCommand(dir, { failOn: 'regression', baseline: name }, io);
  await expect(compared).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(new RegExp(`^--baseline ${name}.* tandem bless <run>$`, 's')),
  });
});

test('a baseline replaces a baseline, and no other file that --out names', async () => {
  const io = fakeIo(await scratch());
  const dir = await iteration(io, 'one', { a: 'pppp' });
  for (const _time of [1, 2]) expect(await blessCommand(dir, { out: 'base.json' }, io)).toBe(0);
  await writeFile(join(io.cwd, 'notes.json'), '{"mine":1}');
  await expect(blessCommand(dir, { out: 'notes.json' }, io)).rejects.toMatchObject({ code: 'usage' });
  expect(await readFile(join(io.cwd, 'notes.json'), 'utf8')).toBe('{"mine":1}');
});

test('statistics: rates with intervals, pass^k, and nothing by chance', async () => {
  const io = fakeIo(await scratch());
  const dir = await iteration(io, 'one', { a: 'pppp', b: 'ppff', c: 'ffff' });
  expect(await statisticsCommand(dir, { json: true }, io)).toBe(0);
  expect(io.json()).toMatchObject({ samples: 3, trials: 12, passAtOne: { value: 0.5 }, flipRate: { value: 1 / 3 } });
  const [first] = io.lines;
  await statisticsCommand(dir, { json: true }, io);
  expect(io.lines[1]).toBe(first);
  await statisticsCommand(dir, {}, io);
  expect(io.lines).toContain('pass^1 0.5000  pass^2 0.3889  pass^3 0.3333  pass^4 0.3333');
});

test('several results are named by their folders: each is held against the first, with its rate, cost and target', async () => {
  const io = fakeIo(await scratch());
  const first = await iteration(io, 'one', { a: 'pppp', b: 'pppp' });
  const worse = await iteration(io, 'two', { a: 'ffff', b: 'pppp' });
  const better = await iteration(io, 'three', { a: 'pppp', b: 'pppp' });
  expect(await compareCommand(first, { failOn: 'regression', others: [worse] }, io)).toBe(1);
  expect(io.lines.join('\n')).toMatch(/regression +a: 4 of 4 -> 0 of 4, p 0.014[\s\S]*\$0.00 now, \$0.00 then/);
  expect(io.lines.join('\n')).toContain('Target 85 %: not met (1 of 2)');
  expect(await compareCommand(worse, { failOn: 'regression', others: [better], json: true }, io)).toBe(0);
  expect(io.json()).toMatchObject({ label: 'better', rates: { before: 0.5, now: 1 }, costUsdThen: 0, verdict: 'met' });
  // Four comparisons with one baseline share the chance of a false alarm.
  const others = [worse, better, better, better];
  expect(await compareCommand(first, { failOn: 'regression', others }, io)).toBe(0);
  expect(await compareCommand(first, { failOn: 'soft', others }, io)).toBe(1);
  // One value, however many there are.
  io.lines.length = 0;
  await compareCommand(first, { failOn: 'never', others: [worse, better], json: true }, io);
  expect(io.lines).toHaveLength(1);
  expect(io.json()).toMatchObject([{ label: 'regression' }, { label: 'same' }]);
});
