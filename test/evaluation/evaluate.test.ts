import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openConfined } from '../../src/app/open-sandbox.ts';
import { HarnessError } from '../../src/errors.ts';
import { evaluate, type EvaluateInput, type SampleDone } from '../../src/evaluation/evaluate.ts';
import { loadComponents } from '../../src/evaluation/components/load-components.ts';
import { createProblem } from '../../src/scenario/attribution/problem-code.ts';
import { Results, type Problem, type Verification } from '../../src/scenario/result.ts';
import type { Model, ModelResponse } from '../../src/ports/model.ts';
import type { OpenSandbox } from '../../src/ports/sandbox.ts';
import { call, facts, say } from '../support/responses.ts';
import { scriptedModel, type ScriptedAnswer } from '../support/scripted-model.ts';
import { lampsBrief, lampsDesign, lampsFolder, trustedSandbox, turnOn } from './lamps.ts';

const GOOD: Record<string, ModelResponse[]> = {
  // Said once more to a user that asks back, because nothing was changed.
  'turn-on': [call('switch_lamp', { id: 'hall', on: true }), say('The hall lamp is on.'), say('It is on.')],
  'locked-lamp': [call('read_lamp', { id: 'cellar' }), say('It is locked, I am afraid.')],
};

type Setting = Partial<EvaluateInput> & {
  files?: Record<string, unknown>;
  answers?: Record<string, ScriptedAnswer[]>;
  problems?: Problem[];
};

/** Evaluates the lamps; `answers` by lane or by sample, else the good ones. */
async function run({ files = {}, answers = {}, problems = [], ...more }: Setting = {}) {
  const dir = await lampsFolder(files);
  const sandbox = more.sandbox ?? trustedSandbox();
  const { components } = await loadComponents(dir, sandbox, new AbortController().signal);
  const verification: Verification = { ok: problems.length === 0, problems, proofs: [], coverage: {} };
  const seen: SampleDone[] = [];
  const lanes: string[] = [];
  const modelFor = (lane: string): Model => {
    lanes.push(lane);
    const sample = lane.replace('subject/', '').replace(/\.\d+$/, '');
    return scriptedModel(answers[lane] ?? answers[sample] ?? GOOD[sample] ?? []);
  };
  const evaluating = evaluate({
    dir,
    design: lampsDesign(),
    brief: lampsBrief(),
    components,
    verification,
    iteration: 3,
    round: 2,
    modelFor,
    maxTokens: 500,
    price: facts().price,
    sandbox,
    concurrency: 2,
    simulated: true,
    componentsDigest: 'c'.repeat(64),
    onSample: (done) => seen.push(done),
    now: () => 0,
    signal: new AbortController().signal,
    ...more,
  });
  return { dir, evaluating, seen, lanes };
}

const wrongAnswer = [call('switch_lamp', { id: 'hall', on: false }), say('Hm.')];

describe('results', () => {
  test('are whole, on disk and in hand the same, and name the design they were judged under', async () => {
    const { dir, evaluating, seen, lanes } = await run({ sandbox: await openConfined({}) });
    const results = await evaluating;
    expect(Results.parse(JSON.parse(await readFile(join(dir, 'results.json'), 'utf8')))).toEqual(results);
    expect(results).toMatchObject({
      iteration: 3,
      round: 2,
      designDigest: 'd'.repeat(64),
      componentsDigest: 'c'.repeat(64),
      target: 0.85,
      successRate: 1,
      passed: 2,
      total: 2,
      unscored: 0,
      simulated: true,
      byRule: { R1: { passed: 1, total: 1 }, R2: { passed: 1, total: 1 } },
    });
    expect(results.samples.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['locked-lamp', 'pass'],
      ['turn-on', 'pass'],
    ]);
    expect(lanes.toSorted()).toEqual(['subject/locked-lamp.1', 'subject/turn-on.1']);
    expect((await readdir(join(dir, 'traces'))).toSorted()).toEqual(['locked-lamp.1.jsonl', 'turn-on.1.jsonl']);
    expect(seen.map(({ done, total }) => [done, total])).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  test('stand in the same order whatever finishes first, and are the same again', async () => {
    const first = Promise.withResolvers<ModelResponse>();
    const late = [() => first.promise, say('It is locked.')];
    const slow = await run({
      answers: { 'locked-lamp': late },
      onSample: () => first.resolve(call('read_lamp', { id: 'cellar' })),
    });
    const quick = await run();
    const [a, b] = [await slow.evaluating, await quick.evaluating];
    expect(a).toEqual(b);
    expect(a.samples.map(({ id }) => id)).toEqual(['locked-lamp', 'turn-on']);
  });

  test('a failed sample says what was expected, what came, and whose it is', async () => {
    const { evaluating, seen } = await run({ answers: { 'turn-on': wrongAnswer } });
    const results = await evaluating;
    const failed = results.samples.find(({ id }) => id === 'turn-on');
    expect(failed).toMatchObject({ outcome: 'fail', layer: 4, cause: '4b' });
    expect(failed?.why).toEqual([
      'expect: the end state differs in 1 place; never said: "is on" or "switched on"',
      'expect: /lamps/hall/on: expected true, got false',
      'as-asked: it is off',
    ]);
    expect(results.layers).toEqual({ '1': 0, '2': 0, '3': 0, '4': 1, '4a': 0, '4b': 1 });
    expect(seen.find(({ sample }) => sample === 'turn-on')).toMatchObject({ outcome: 'fail', layer: 4 });
  });

  test('a sample passes when all its trials pass; its own number of trials wins', async () => {
    const { evaluating, lanes } = await run({
      files: { 'samples/turn-on.json': { ...turnOn, trials: 3 } },
      brief: lampsBrief({ trials: 2 }),
      answers: { 'subject/turn-on.2': wrongAnswer },
    });
    const results = await evaluating;
    expect(lanes).toHaveLength(5);
    expect(results.samples[1]).toMatchObject({
      outcome: 'fail',
      trials: [{ trial: 1, outcome: 'pass' }, { outcome: 'fail' }, { outcome: 'pass' }],
    });
    expect(results).toMatchObject({ successRate: 0.5, flipRate: 0.5 });
    expect(results.samples[1]?.why[0]).not.toContain('trial');
  });

  test('a trial that the model could not finish is unscored, counts in no rate, and says why', async () => {
    const { evaluating } = await run({ answers: { 'turn-on': [new HarnessError('model_unavailable', 'overloaded')] } });
    const results = await evaluating;
    expect(results).toMatchObject({ successRate: 1, passed: 1, total: 1, unscored: 1 });
    expect(results.samples[1]).toMatchObject({
      outcome: 'unscored',
      why: ['the infrastructure failed: model_unavailable: overloaded'],
      trials: [{ outcome: 'unscored', verdicts: [], stop: 'infrastructure' }],
    });
    expect(results.samples[1]?.layer).toBeUndefined();
  });
});

describe('whose failure it is', () => {
  const tool = (body: string) => ({
    'tools/switch_lamp.mjs': `
      export const tool = { name: 'switch_lamp', description: 'x', input_schema: { type: 'object' }, examples: [{ input: {}, world: {} }] };
      let calls = 0;
      export function run({ id, on }, world) { ${body} }`,
  });

  test('a tool that threw on a valid input is blamed, with the step and what it said', async () => {
    const results = await (await run({ files: tool('throw new Error("fuse");') })).evaluating;
    const failed = results.samples.find(({ id }) => id === 'turn-on');
    expect(failed).toMatchObject({ layer: 2 });
    expect(failed?.trials[0]?.toolFault).toBe(
      'step 1: switch_lamp {"id":"hall","on":true} (threw): The tool failed: Error: fuse',
    );
    expect(failed?.why[0]).toBe(failed?.trials[0]?.toolFault);
  });

  test('a tool that answers otherwise on replay is blamed', async () => {
    const results = await (await run({ files: tool('calls += 1; return { calls };') })).evaluating;
    expect(results.samples[1]).toMatchObject({ id: 'turn-on', layer: 2 });
    expect(results.samples[1]?.why[0]).toContain('does not answer the same on replay');
  });

  test('a failing tool is not blamed for a sample that passes', async () => {
    const body = 'if (id === "attic") throw new Error("fuse"); world.lamps[id].on = on; return {};';
    const answers = { 'turn-on': [call('switch_lamp', { id: 'attic', on: true }), ...(GOOD['turn-on'] ?? [])] };
    const results = await (await run({ files: tool(body), answers })).evaluating;
    expect(results.samples[1]).toMatchObject({ outcome: 'pass', why: [] });
  });

  test('a checker that is broken is blamed', async () => {
    const broken =
      "export const checker = { id: 'as-asked', description: 'x', rules: ['R1'] }; export function check() { null.x; }";
    const results = await (await run({ files: { 'checkers/as-asked.mjs': broken } })).evaluating;
    expect(results.samples[1]).toMatchObject({ outcome: 'fail', layer: 3 });
    expect(results.samples[1]?.trials[0]?.verdicts[1]).toMatchObject({ checker: 'as-asked', broken: true });
  });

  test('what was found before the run counts: a contradiction of rules is layer 1', async () => {
    const problems = [{ ...createProblem('rules-contradict', 'R1, R2', 'no end satisfies both'), sample: 'turn-on' }];
    const results = await (await run({ problems, answers: { 'turn-on': wrongAnswer } })).evaluating;
    expect(results.samples[1]).toMatchObject({
      layer: 1,
      why: expect.arrayContaining(['R1, R2: no end satisfies both (rules-contradict)']),
    });
  });
});

describe('an end before the end', () => {
  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    );

  test('an abort rejects with its reason and leaves no results', async () => {
    const controller = new AbortController();
    const onSample = () => controller.abort(new Error('enough'));
    const { dir, evaluating } = await run({ signal: controller.signal, onSample, concurrency: 1 });
    await expect(evaluating).rejects.toThrow('enough');
    expect(await isThere(join(dir, 'results.json'))).toBe(false);
  });

  test('a spent budget stops everything, is thrown as it is, and leaves no results', async () => {
    const lanes: string[] = [];
    const model = scriptedModel([new HarnessError('budget_exceeded', 'no money left')]);
    const modelFor = (lane: string): Model => {
      lanes.push(lane);
      return model;
    };
    const { dir, evaluating } = await run({ modelFor, concurrency: 1 });
    await expect(evaluating).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect(lanes).toHaveLength(1);
    expect(await isThere(join(dir, 'results.json'))).toBe(false);
  });

  test('never more trials run at once than are allowed', async () => {
    let [running, most] = [0, 0];
    const full = Promise.withResolvers<undefined>();
    const modelFor = (): Model => ({
      call: async () => {
        running += 1;
        most = Math.max(most, running);
        if (running === 3) setImmediate(() => full.resolve(undefined));
        await full.promise;
        running -= 1;
        return say('Hm.');
      },
    });
    await (
      await run({ modelFor, concurrency: 3, brief: lampsBrief({ trials: 10 }) })
    ).evaluating;
    expect(most).toBe(3);
  });

  test('while one waits for its verdict the next is played; those are at most as many again', async () => {
    const sandbox = trustedSandbox();
    const session = await sandbox.open(await lampsFolder({}));
    const asked = Promise.withResolvers<undefined>();
    const judgeNow = Promise.withResolvers<undefined>();
    const slowToJudge: OpenSandbox = {
      ...session,
      askAll: async (...inquiry) => {
        asked.resolve(undefined);
        await judgeNow.promise;
        return session.askAll(...inquiry);
      },
    };
    let played = 0;
    const secondPlayed = Promise.withResolvers<undefined>();
    const modelFor = (): Model => ({
      call: async () => {
        played += 1;
        if (played === 2) secondPlayed.resolve(undefined);
        return say('Hm.');
      },
    });
    const { evaluating } = await run({
      modelFor,
      session: slowToJudge,
      concurrency: 1,
      brief: lampsBrief({ trials: 4 }),
    });
    await asked.promise;
    await secondPlayed.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(played).toBe(2);
    judgeNow.resolve(undefined);
    await evaluating;
    expect(played).toBe(8);
  });
});
