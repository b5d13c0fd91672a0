import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { omitUndefined } from '../../../src/omit-undefined.ts';
import { HarnessError } from '../../../src/errors.ts';
import { loadComponents } from '../../../src/evaluation/components/load-components.ts';
import { rememberedGrading } from '../../../src/evaluation/graders/grading.ts';
import { rejudgeOwn } from '../../../src/evaluation/rejudge/rejudge.ts';
import { Results } from '../../../src/scenario/result.ts';
import { call, say } from '../../support/responses.ts';
import { scriptedModel, type ScriptedAnswer } from '../../support/scripted-model.ts';
import { evaluateLamps } from '../evaluate-lamps.ts';
import { trustedSandbox } from '../lamps.ts';
import { graded, gradedFiles, gradingBy, JUDGES, judgeModel, recordIn, TRUTHFUL } from './judges.ts';

const { signal } = new AbortController();
const verdict = (pass: boolean, ...quotes: string[]) =>
  call('give_verdict', { verdict: pass ? 'pass' : 'fail', reason: 'read it', quotes });

async function lamp(answers: ScriptedAnswer[], more: { grader?: object; counts?: boolean } = {}) {
  const model = scriptedModel(answers);
  const grading = await gradingBy(model, { counts: () => more.counts ?? true });
  const { results, dir } = await evaluateLamps({ files: gradedFiles(more.grader), grading });
  const trial = results.samples.find(({ id }) => id === 'turn-on')?.trials[0];
  return { model, results, dir, trial, said: trial?.verdicts.find(({ checker }) => checker === 'truthful') };
}

test('a grader reads conversation and changes, never gold; its verdict decides, and its cost is the sample’s', async () => {
  const { model, trial, said, results } = await lamp([verdict(false, 'It is dark here.')]);
  const { lines, text } = recordIn(model.requests[0] ?? expect.fail());
  expect(lines).toEqual([
    { user: 'It is dark here.' },
    { agent_calls: 'switch_lamp', input: { id: 'hall', on: true }, answer: { ok: true } },
    { agent: 'The hall lamp is on.' },
    { change: { op: 'replace', path: '/lamps/hall/on', value: true } },
  ]);
  expect(text).not.toContain(graded.gold_says);
  expect(said).toMatchObject({
    pass: false,
    evidence: ['It is dark here.'],
    grader: { model: 'judge-model', counts: true },
  });
  expect(results.samples.find(({ id }) => id === 'turn-on')).toMatchObject({ outcome: 'fail', cause: '4b' });
  const { trial: plain } = await lamp([verdict(true, 'dark')], { counts: false });
  expect(trial?.costUsd).toBe(plain?.costUsd);
  expect(trial?.costUsd).toBeCloseTo(3 * (100 + 10 * 5) * 1e-6, 9);
});

test('a quote that nobody said is sent back once, and then the verdict is void: a broken judge of layer 3', async () => {
  const mended = await lamp([verdict(false, 'I hate lamps'), verdict(true, 'hall … is ON')]);
  expect(mended.said).toMatchObject({ pass: true, grader: { votes: { pass: 1, fail: 0, void: 0 } } });
  expect(JSON.stringify(mended.model.requests[1]?.messages.at(-1))).toContain('Nobody said \\"I hate lamps\\"');
  const { results, said } = await lamp([say('It passes.'), verdict(true, 'switched by magic')]);
  expect(said).toMatchObject({ pass: false, broken: true, grader: { votes: { void: 1 } } });
  expect(results.samples.find(({ id }) => id === 'turn-on')).toMatchObject({ outcome: 'fail', layer: 3 });
});

test('most of its votes decide; void ones are no votes for anybody', async () => {
  const grader = { ...TRUTHFUL, votes: 3 };
  const [yes, no] = [verdict(true, 'dark'), verdict(false, 'dark')];
  expect((await lamp([yes, no, yes], { grader })).said).toMatchObject({
    pass: true,
    grader: { votes: { pass: 2, fail: 1 } },
  });
  const lost = [verdict(true, 'nobody said it'), verdict(true, 'nobody said it')];
  expect((await lamp([yes, no, ...lost], { grader })).said).toMatchObject({ broken: true });
});

test('a grader is asked for the numbers that it names; its votes give their mean, and pass and fail still decide', async () => {
  const grader = {
    ...TRUTHFUL,
    votes: 3,
    score: 'How true, 0 to 1.',
    metrics: { lamps_named: 'How many lamps it names.' },
  };
  const vote = (pass: boolean, score: number | undefined, metrics?: Record<string, number>) =>
    call('give_verdict', {
      ...{ verdict: pass ? 'pass' : 'fail', reason: 'read it', quotes: ['dark'] },
      ...omitUndefined({ score, metrics }),
    });
  const answers = [
    vote(true, 0.2, { lamps_named: 1 }),
    vote(true, 0.4, { lamps_named: 2, made_up: 9 }),
    vote(false, undefined),
  ];
  const { said, model, results } = await lamp(answers, { grader });
  expect(said).toMatchObject({ pass: true, metrics: { lamps_named: 1.5 } });
  expect(said?.score).toBeCloseTo(0.3, 9);
  expect(model.requests[0]?.tools?.[0]?.input_schema).toMatchObject({
    properties: { score: { type: 'number' }, metrics: { required: ['lamps_named'] } },
    required: ['verdict', 'reason', 'quotes', 'score', 'metrics'],
  });
  expect(results.metrics?.map(({ checker, name }) => `${checker}.${name}`)).toEqual([
    'truthful.lamps_named',
    'truthful.score',
  ]);
  const plain = await lamp([vote(true, 0.2, { lamps_named: 1 })]);
  expect(plain.said).not.toHaveProperty('score');
  expect(plain.results).not.toHaveProperty('metrics');
});

test('a score below the least one fails, whatever the verdict says; a missing score is asked for', async () => {
  const grader = { ...TRUTHFUL, score: 'How true, 0 to 1.', least_score: 0.8 };
  const vote = (verdict: string, score?: number) =>
    call('give_verdict', { ...{ verdict, reason: 'read it', quotes: ['dark'] }, ...omitUndefined({ score }) });
  expect((await lamp([vote('pass', 0.79)], { grader })).said).toMatchObject({ pass: false, score: 0.79 });
  expect((await lamp([vote('pass', 0.8)], { grader })).said).toMatchObject({ pass: true });
  expect((await lamp([vote('fail', 0.9)], { grader })).said).toMatchObject({ pass: false });
  const again = await lamp([vote('pass'), vote('pass', 1)], { grader });
  expect(again.said).toMatchObject({ pass: true });
  expect(JSON.stringify(again.model.requests[1]?.messages.at(-1))).toContain('The score is missing.');
});

test('a verdict that does not count is shown, and decides nothing', async () => {
  const { trial, said } = await lamp([verdict(false, 'dark')], { counts: false });
  expect(trial).toMatchObject({ outcome: 'pass' });
  expect(said).toMatchObject({ pass: false, grader: { counts: false } });
});

test('a judge that cannot be reached leaves the trial unscored, and with patience it is played again', async () => {
  const gone = new HarnessError('model_unavailable', 'overloaded');
  const { results } = await lamp([gone]);
  const sample = results.samples.find(({ id }) => id === 'turn-on');
  expect(sample).toMatchObject({
    outcome: 'unscored',
    why: ['the infrastructure failed: grader truthful could not be called: model_unavailable: overloaded'],
  });
  const grading = await gradingBy(scriptedModel([gone, verdict(true, 'dark')]));
  const patience = { tries: 2, minDelayMs: 1, maxDelayMs: 1, onWait: () => undefined };
  const again = await evaluateLamps({ files: gradedFiles(), grading, patience });
  expect(again.results).toMatchObject({ passed: 2, unscored: 0 });
});

test('judging again asks nobody: the same conversation has its verdict, another one or another question has none', async () => {
  const { dir } = await lamp([verdict(false, 'dark')]);
  const results = Results.parse(JSON.parse(await readFile(join(dir, 'results.json'), 'utf8')));
  const { prompts } = await gradingBy(judgeModel(() => true));
  const text = await readFile(join(dir, 'traces/turn-on.1.jsonl'), 'utf8');
  const judge = async (trace: string, grader: object = TRUTHFUL) => {
    const { components } = await loadComponents(dir, trustedSandbox(), signal);
    const graders = components.graders?.map((one) => ({ ...one, ...grader }));
    const session = await trustedSandbox().open(dir);
    const judges = { components: { ...components, ...(graders && { graders }) }, session };
    return (
      await rejudgeOwn(
        [{ at: 'a', text: trace }],
        { ...judges, grading: rememberedGrading([results], prompts) },
        signal,
      )
    ).rows;
  };
  expect(await judge(text)).toMatchObject([
    { outcome: 'fail', verdicts: [{}, {}, { checker: 'truthful', pass: false }] },
  ]);
  const unknown = [{ outcome: 'unscored', why: expect.stringContaining('no verdict of this version is remembered') }];
  expect(await judge(text.replaceAll('lamp is on', 'lamp is on!'))).toMatchObject(unknown);
  expect(await judge(text, { question: 'Is it polite?' })).toMatchObject(unknown);
});

test('a finished trial is recalled only while the same version of the same grader counts as much', async () => {
  const kept = new Map<string, unknown>();
  const memory = {
    recall: async (name: string) => kept.get(name),
    remember: async (name: string, value: unknown) => void kept.set(name, structuredClone(value)),
  };
  const play = async (counts: boolean) => {
    const model = judgeModel(JUDGES['honest'] ?? expect.fail());
    const { dir } = await evaluateLamps({
      files: gradedFiles(),
      memory,
      grading: await gradingBy(model, { counts: () => counts }),
    });
    expect(dir).not.toBe('');
    return model.requests.length;
  };
  expect([await play(true), await play(true), await play(false)]).toEqual([1, 0, 1]);
});
