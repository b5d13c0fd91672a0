import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/ports/model.ts';
import { facts, call, say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { briefWith, evaluateLamps, goodModel } from '../evaluate-lamps.ts';
import { lampsDesign, lockedLamp, turnOn } from '../lamps.ts';

const onlyTurnOn = { 'samples/locked-lamp.json': undefined };

describe('a recorded subject', () => {
  test('says and calls again what its traces hold, on the components as they are now, and without a model', async () => {
    const first = await evaluateLamps();
    const recording = async (sample: string, trial: number) => first.linesOf(`${sample}.${trial}`);
    const noModel = () => {
      throw new Error('no model may be asked');
    };
    const brief = briefWith({ subject: { kind: 'recorded', traces: 'recorded' } });
    const again = await evaluateLamps({ brief, recording, modelFor: noModel });
    expect(again.results).toMatchObject({ successRate: 1, passed: 2, costUsd: 0 });
    const [one, other] = [await first.linesOf('turn-on.1'), await again.linesOf('turn-on.1')];
    expect(other.slice(1, -1)).toEqual(one.slice(1, -1));
    expect(other[0]).toMatchObject({ model: 'recorded: recorded' });

    const lazy =
      'export const tool = { name: "switch_lamp", description: "x", input_schema: { type: "object" }, examples: [{ input: {}, world: {} }] }; export const run = () => ({ ok: true });';
    const broken = await evaluateLamps({ brief, recording, files: { 'tools/switch_lamp.mjs': lazy } });
    expect(broken.results.samples.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['locked-lamp', 'pass'],
      ['turn-on', 'fail'],
    ]);
  });

  test('ends as it ended, answers of the user and all; a trial without a trace is unscored and says so', async () => {
    const asking = () => scriptedModel([say('Which room?'), call('read_lamp', { id: 'hall' }), say('Hm.')]);
    const first = await evaluateLamps({
      files: onlyTurnOn,
      modelFor: asking,
      brief: briefWith({ user: { simulator: 'scripted' } }),
    });
    const recording = async (sample: string, trial: number) => (trial === 1 ? first.linesOf(`${sample}.1`) : undefined);
    const brief = briefWith({ subject: { kind: 'recorded', traces: 'x' }, trials: 2, user: { simulator: 'none' } });
    const again = await evaluateLamps({ files: onlyTurnOn, brief, recording });
    expect((await again.linesOf('turn-on.1')).slice(1, -1)).toEqual((await first.linesOf('turn-on.1')).slice(1, -1));
    expect(again.results.samples[0]?.trials).toMatchObject([{ outcome: 'fail' }, { outcome: 'unscored' }]);
    expect((await again.linesOf('turn-on.2')).at(-1)).toMatchObject({ detail: 'no trace of turn-on.2 was recorded' });
  });
});

describe('the user', () => {
  test('of the kind none says its first words only', async () => {
    const asking = () => scriptedModel([say('Which room?')]);
    const { results, linesOf } = await evaluateLamps({
      files: onlyTurnOn,
      modelFor: asking,
      brief: briefWith({ user: { simulator: 'none' } }),
    });
    expect((await linesOf('turn-on.1')).filter(({ type }) => type === 'user')).toHaveLength(1);
    expect(results.samples[0]?.trials[0]).toMatchObject({ stop: 'done', outcome: 'fail' });
  });

  test('of the kind model is told what the sample says, uses its own tools, and ends the conversation', async () => {
    const lanes: string[] = [];
    const user = scriptedModel([call('read_lamp', { id: 'hall' }), say('The hall one, please.'), say('[end]')]);
    const subject = scriptedModel([
      say('Which lamp?'),
      call('switch_lamp', { id: 'hall', on: true }),
      say('The hall lamp is on.'),
    ]);
    const format = {
      tools: lampsDesign().format.tools.map((tool) => (tool.name === 'read_lamp' ? { ...tool, by: 'user' } : tool)),
    };
    const { results, linesOf } = await evaluateLamps({
      files: onlyTurnOn,
      design: lampsDesign({ format }),
      brief: briefWith({ user: { simulator: 'model', model: 'user-model' } }),
      modelFor: () => subject,
      userModel: {
        name: 'user-model',
        maxTokens: 300,
        price: facts().price,
        prompt: await readFile('prompts/user_simulator.md', 'utf8'),
        modelFor: (lane) => {
          lanes.push(lane);
          return user;
        },
      },
    });
    expect(lanes).toEqual(['user/turn-on.1']);
    const [request] = user.requests as [ModelRequest];
    expect(request).toMatchObject({ model: 'user-model', max_tokens: 300, tools: [{ name: 'read_lamp' }] });
    expect(request.system[0]?.text).toContain('It is dark here.');
    expect(request.system[0]?.text).toContain('- room: the hall');
    expect(request.messages).toMatchObject([{ role: 'user', content: [{ type: 'text', text: 'Which lamp?' }] }]);
    expect((await linesOf('turn-on.1')).filter(({ type }) => type === 'call' || type === 'user')).toMatchObject([
      { type: 'user', step: 0 },
      { type: 'call', step: 1, tool: 'read_lamp', by: 'user' },
      { type: 'user', step: 1, text: 'The hall one, please.' },
      { type: 'call', step: 2, tool: 'switch_lamp' },
    ]);
    // Three calls of the subject and three of its user.
    expect(results.samples[0]).toMatchObject({ outcome: 'pass' });
    expect(results.costUsd).toBeCloseTo((6 * (100 * 1 + 10 * 5)) / 1_000_000, 12);
  });
});

describe('money', () => {
  const twice = [call('read_lamp', { id: 'hall' }, 'a'), call('read_lamp', { id: 'hall' }, 'b'), say('Done.')];
  const [perCall] = [(100 + 50) / 1_000_000];

  test('a trial ends before the turn that would go on over its limit; the limit of the sample wins', async () => {
    const brief = briefWith({ subject: { model: 'm', usd: perCall * 1.5 } });
    const stopped = await evaluateLamps({ files: onlyTurnOn, brief, modelFor: () => scriptedModel(twice) });
    expect(stopped.results.samples[0]?.trials[0]).toMatchObject({ stop: 'money', outcome: 'fail' });
    expect(stopped.results.samples[0]?.trials[0]?.verdicts[0]?.reason).toContain('did not finish within its money');
    expect(stopped.results.costUsd).toBeCloseTo(2 * perCall, 12);
    const files = { ...onlyTurnOn, 'samples/turn-on.json': { ...turnOn, limits: { usd: perCall * 0.5 } } };
    const sooner = await evaluateLamps({ files, brief, modelFor: () => scriptedModel(twice) });
    expect(sooner.results.costUsd).toBeCloseTo(perCall, 12);
  });
});

test('where a trial was decided stands in the results, with the difference of the states', async () => {
  const wrongLamp = (lane: string) =>
    lane.includes('turn-on')
      ? scriptedModel([
          call('switch_lamp', { id: 'hall', on: false }),
          call('read_lamp', { id: 'hall' }),
          say('It is on.'),
        ])
      : goodModel(lane);
  const { results } = await evaluateLamps({ modelFor: wrongLamp, files: { 'samples/locked-lamp.json': lockedLamp } });
  const [passed, failed] = results.samples;
  expect(passed?.trials[0]).not.toHaveProperty('deciding');
  expect(failed?.trials[0]).toMatchObject({
    stateDiff: [{ path: '/lamps/hall/on', expected: true, got: false }],
    deciding: { step: 3, quote: 'It is on.' },
  });
});
