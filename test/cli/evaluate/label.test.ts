import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blessCommand } from '../../../src/cli/evaluate/compare.ts';
import { rejudgeOwnTraces } from '../../../src/cli/evaluate/rejudge-own.ts';
import { readLabels } from '../../../src/run-folder/label-journal.ts';
import { openSharedFiles } from '../../../src/disk/shared-files.ts';
import { Label } from '../../../src/scenario/label.ts';
import { TRUTHFUL } from '../../evaluation/graders/judges.ts';
import { JUDGE, judgedLamps, turn } from '../../support/judged-lamps.ts';

const { signal } = new AbortController();

test('a grader of the offline model is proven, judges, and is judged again and labelled without being asked', async () => {
  const { io, dir, exit, folder, label, results } = await judgedLamps();
  expect([exit, io.errors.join('\n')]).toEqual([0, expect.stringContaining('')]);
  const { samples, graders, verification } = await results();
  expect(samples.find(({ id }) => id === 'turn-on')?.trials[0]?.verdicts).toMatchObject([
    ...[
      { checker: 'expect', pass: true },
      { checker: 'as-asked', pass: true },
    ],
    { checker: 'truthful', pass: true, grader: { counts: false } },
  ]);
  expect(verification.graders).toMatchObject([{ id: 'truthful', untried: 0 }]);
  expect(graders).toMatchObject([
    { id: 'truthful', counts: false, passed: 1, judged: 1, why: expect.stringContaining('20 of each') },
  ]);
  expect(io.lines.join('\n')).toContain(
    'its verdicts are shown and decide nothing; people have labelled 0 pass and 0 fail',
  );
  const report = await readFile(join(io.cwd, folder, 'report.md'), 'utf8');
  expect(report).toContain('its verdicts are shown and decide nothing');
  expect(await rejudgeOwnTraces(folder, { allowUnsandboxed: true }, { io, signal })).toMatchObject({ n: 2, agreed: 2 });

  // Blind: what is open shows the conversation and the question, and nothing that the judge said.
  await label({ list: true, json: true });
  expect(JSON.parse(io.lines[0] ?? '')).toMatchObject([
    { name: 'turn-on.1', grader: 'truthful', question: TRUTHFUL.question },
  ]);
  expect(io.lines[0]).not.toContain('The judge thinks');
  await expect(label({ mark: 'turn-on.1', as: 'pass' })).rejects.toThrow('Say why');
  await expect(label({ mark: 'turn-on.9', as: 'pass', reason: 'x' })).rejects.toThrow('nothing to label as turn-on.9');
  await expect(label()).rejects.toThrow('This is not a terminal');
  await label({ mark: 'turn-on.1', as: 'fail', reason: 'It does not say which lamp.', json: true });
  expect(JSON.parse(io.lines[0] ?? '')).toMatchObject({ labels: 1, graders: [{ id: 'truthful' }] });
  expect(await readLabels(openSharedFiles(dir))).toMatchObject([
    {
      by: 'user:ada',
      sample: 'turn-on',
      verdict: 'fail',
      reason: 'It does not say which lamp.',
      judged: { pass: true },
    },
  ]);
  await label({ list: true });
  expect(io.lines).toEqual([]);
  await label({ export: 'labels.jsonl' });
  const [row = ''] = (await readFile(join(io.cwd, 'labels.jsonl'), 'utf8')).split('\n');
  expect(JSON.parse(row)).toMatchObject({ part: expect.stringMatching(/train|dev|test/) });
  await expect(label({ export: 'labels.jsonl' })).rejects.toThrow('is there already');
});

test('a person is shown conversation and question, answers, and only a label with a reason is written', async () => {
  const { io, dir, label } = await judgedLamps();
  const answers = ['p', '', 'p', 'The lamp is on.'];
  io.ask = async () => answers.shift() ?? 'q';
  io.errors.length = 0;
  await label();
  expect(await readLabels(openSharedFiles(dir))).toEqual([]);
  await label();
  expect((await readLabels(openSharedFiles(dir))).map((one: Label) => one.reason)).toEqual(['The lamp is on.']);
  const shown = io.errors.join('\n');
  expect(shown).toContain('user: It is dark here.');
  expect(shown).toContain(TRUTHFUL.fail_when);
  expect(shown).not.toContain('The judge thinks');
});

test('where the scenario allows it an uncalibrated grader decides, and the report says so', async () => {
  const { io, folder, results } = await judgedLamps({ graders: { uncalibrated: 'allow' } });
  expect((await results()).graders).toMatchObject([{ counts: true, allowed: true }]);
  expect(await readFile(join(io.cwd, folder, 'report.md'), 'utf8')).toContain('graders: {uncalibrated: allow}');
});

test('a judge that believes every claim is refused before a sample is played', async () => {
  const credulous = { ...JUDGE, turns: [turn('always', '</record>', 'pass')] };
  const { io, exit, dir } = await judgedLamps({}, credulous);
  expect(exit).toBe(1);
  expect([...io.lines, ...io.errors].join('\n')).toContain(
    'it must fail an agent that does nothing and claims the words of gold',
  );
  expect(await readdir(join(dir, 'evaluations/1'))).not.toContain('traces');
});

test('a person settles a doubtful verdict: it is asked blind, and then commands count what the person said', async () => {
  const { io, folder, label, results } = await judgedLamps();
  const file = join(io.cwd, folder, 'results.json');
  const played = await results();
  const doubt = { by: 'statement' as const, text: 'It said the hall lamp is on; no call switched it.', line: 3 };
  for (const { id, trials } of played.samples)
    if (id === 'turn-on') for (const trial of trials) trial.disputed = [doubt];
  await writeFile(file, JSON.stringify({ ...played, target: 1 }));
  const bless = async () => {
    await blessCommand(folder, { json: true }, io);
    return (io.json() as { verdict: string }).verdict;
  };
  expect(await bless()).toBe('disputed');
  await label({ list: true, json: true });
  const open = JSON.parse(io.lines[0] ?? '') as { grader: string; record: object[] }[];
  const asked = open.find(({ grader }) => grader === 'verdict');
  expect(asked?.record.at(-1)).toEqual({ doubt: doubt.text });
  await label({ mark: 'turn-on.1', grader: 'verdict', as: 'pass', reason: 'The call is there.', json: true });
  expect(JSON.parse(io.lines[0] ?? '')).toMatchObject({ verdict: 'met', open: 0 });
  expect(await bless()).toBe('met');
  await label({ mark: 'turn-on.1', grader: 'verdict', as: 'fail', reason: 'It is not.' });
  expect(io.lines.at(-1)).toBe('1 of 2 samples pass: not met; 0 doubts left');
  expect(await bless()).toBe('not met');
  // Another play of the same trial is another conversation, for which the label does not count.
  const { trace = '' } = played.samples.find(({ id }) => id === 'turn-on')?.trials[0] ?? {};
  await writeFile(join(io.cwd, folder, trace), `${await readFile(join(io.cwd, folder, trace), 'utf8')}\n`);
  expect(await bless()).toBe('disputed');
});
