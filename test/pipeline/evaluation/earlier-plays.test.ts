/** Two iterations of one evaluation: what the first one's conversations are worth on the second one's components. */
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadComponents } from '../../../src/evaluation/components/load-components.ts';
import { digestEachFile } from '../../../src/disk/components-digest.ts';
import { withEarlierPlays } from '../../../src/pipeline/evaluation/earlier-plays.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import { renderIterationMarkdown } from '../../../src/report/run/iteration-markdown.ts';
import { rateChange } from '../../../src/report/run/rate-change.ts';
import { briefWith, evaluateLamps, goodModel } from '../../evaluation/evaluate-lamps.ts';
import { lampsDesign, lampsFolder, trustedSandbox, turnOn } from '../../evaluation/lamps.ts';
import { call, say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { scratch } from '../../support/scratch.ts';

const { signal } = new AbortController();

/** Does right, and says it in words that its sample does not know. */
const otherWords = (lane: string) =>
  lane.includes('turn-on')
    ? scriptedModel([call('switch_lamp', { id: 'hall', on: true }, 'toolu_1'), say('There is light again.')])
    : goodModel(lane);

const idle = (lane: string) =>
  lane.includes('turn-on') ? scriptedModel([say('The hall lamp is on.'), say('It is on.')]) : goodModel(lane);

type Iteration = {
  files?: Record<string, unknown>;
  edits?: Record<string, (text: string) => string>;
  model?: typeof goodModel;
};

/** The second one's results, and the first one's. */
async function twoIterations(first: Iteration, second: Iteration) {
  const play = async ({ files = {}, edits = {}, model = goodModel }: Iteration, iteration: number) => {
    const dir = await lampsFolder(files, edits);
    const { results } = await evaluateLamps({
      ...{ dir, iteration, modelFor: model, brief: briefWith({}) },
      componentDigests: await digestEachFile(dir),
    });
    return { dir, results };
  };
  const [before, now] = [await play(first, 1), await play(second, 2)];
  const run = await scratch();
  await mkdir(join(run, 'execution_outputs'));
  await cp(before.dir, join(run, 'execution_outputs/iteration_1'), { recursive: true });
  const { components } = await loadComponents(now.dir, trustedSandbox(), signal);
  const input = {
    ...{ run: { dir: run } as RunFolder, before: before.results, components, format: lampsDesign().format },
    ...{ session: await trustedSandbox().open(now.dir), prompts: { grader: '' } as never },
  };
  return { before: before.results, now: await withEarlierPlays(now.results, input, signal) };
}

const earlierOf = ({ now }: Awaited<ReturnType<typeof twoIterations>>) =>
  now.samples.find(({ id }) => id === 'turn-on')?.earlier;

/** A change of the checker that changes nothing. */
const retouched = { 'checkers/as-asked.mjs': (text: string) => text.replace('it is on', 'it burns') };
const wider = {
  ...turnOn,
  expect: { ...turnOn.expect, must_say: [{ any: ['is on', 'switched on', 'light again'] }] },
};

test('a checker was retouched and the subject spoke otherwise: the subject’s, not the repair’s', async () => {
  const both = await twoIterations({ model: otherWords }, { edits: retouched });
  expect(earlierOf(both)).toEqual({ outcome: 'fail', alike: true });
  expect(rateChange(both.now, both.before)).toMatchObject({ evaluation: 0, subject: 0.5, either: 0 });
  const report = renderIterationMarkdown(both.now, both.before);
  expect(report).toContain('- by the subject, which met the same as before, +50.0 points: turn-on (now passes)');
});

test('words that were too narrow are widened: the repair’s, whatever the subject says now', async () => {
  const both = await twoIterations({ model: otherWords }, { files: { 'samples/turn-on.json': wider } });
  expect(earlierOf(both)).toEqual({ outcome: 'pass', alike: true });
  expect(rateChange(both.now, both.before)).toMatchObject({ evaluation: 0.5, subject: 0, either: 0 });
});

test('a tool is repaired: the same calls pass now, and nobody can say what the subject would have done', async () => {
  const lazy = { 'tools/switch_lamp.mjs': (text: string) => text.replace('lamp.on = on;', '') };
  const both = await twoIterations({ edits: lazy }, {});
  expect(earlierOf(both)).toEqual({ outcome: 'pass', alike: false });
  expect(rateChange(both.now, both.before)).toMatchObject({ evaluation: 0.5, subject: 0, either: 0 });
});

test('a user that says something else may have moved the subject: one of both', async () => {
  const user = { ...turnOn.user, says_first: 'It is dark in the hall. Light, please.' };
  const both = await twoIterations({ model: idle }, { files: { 'samples/turn-on.json': { ...turnOn, user } } });
  expect(earlierOf(both)).toEqual({ outcome: 'fail', alike: false });
  expect(rateChange(both.now, both.before)).toMatchObject({ evaluation: 0, subject: 0, either: 0.5 });
});

test('where nothing was changed nothing is played again', async () => {
  const same = await twoIterations({ model: otherWords }, {});
  expect(earlierOf(same)).toBeUndefined();
  expect(rateChange(same.now, same.before)).toMatchObject({ evaluation: 0, subject: 0.5, either: 0 });
});

const house = (lamps: object) => ({
  'samples/worlds/house.json': { lamps: { hall: { on: true }, cellar: { on: true, locked: true }, ...lamps } },
});

test('a shared world is edited where nobody looked: what the subject said otherwise is the subject’s', async () => {
  const both = await twoIterations({ model: otherWords }, { files: house({ attic: { on: false } }) });
  expect(earlierOf(both)).toEqual({ outcome: 'fail', alike: true });
  expect(rateChange(both.now, both.before)).toMatchObject({ evaluation: 0, subject: 0.5, either: 0 });
});

test('a shared world is edited where the subject looked: nobody can say what it would have done', async () => {
  const both = await twoIterations({}, { files: house({ cellar: { on: true, locked: true, dimmed: true } }) });
  expect(both.now.samples.find(({ id }) => id !== 'turn-on')?.earlier?.alike).toBe(false);
  expect(earlierOf(both)?.alike).toBe(true);
});
