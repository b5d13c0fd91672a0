/** A sample that is named in another script, from its file to its trace and its JUnit report. */
import { expect, test } from 'vitest';
import { renderJUnit } from '../../src/report/run/junit.ts';
import { Sample } from '../../src/scenario/sample.ts';
import { refundDesk } from '../report/refund-desk.ts';
import { withResults } from '../report/refund-desk-moments.ts';
import { call, say } from '../support/responses.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { evaluateLamps, goodModel } from './evaluate-lamps.ts';
import { turnOn } from './lamps.ts';

const id = '退款-超期';

test('its file is loaded, its trial is played and traced, and its report names it', async () => {
  const { results, linesOf } = await evaluateLamps({
    files: { 'samples/turn-on.json': undefined, [`samples/${id}.json`]: { ...turnOn, id } },
    modelFor: (lane) => goodModel(lane.replace(id, 'turn-on')),
  });
  expect(results.samples.find((sample) => sample.id === id)).toMatchObject({ outcome: 'pass' });
  expect((await linesOf(`${id}.1`)).at(-1)).toMatchObject({ type: 'end' });
  expect(renderJUnit(refundDesk({ iterations: withResults(results) }))).toContain(`<testcase name="${id}"`);
});

test.each(['Hall', 'a/b', '..', 'a.b', ''])(
  '%j is no id: two disks might not tell it from another, or it is a path',
  (name) => {
    expect(Sample.safeParse({ ...turnOn, id: name }).success).toBe(false);
  },
);

test('a Turkish user agrees beside the name of a policy, tells a plain sentence, and never says a bare question mark', async () => {
  const user = {
    says_first: 'Lambayı açmak istiyorum.',
    knows: { '75 lira ücret': 'Evet, olur.', süre: 'İki saat sürsün.' },
  };
  const play = async (...said: string[]) => {
    const { results, linesOf } = await evaluateLamps({
      files: { 'samples/turn-on.json': { ...turnOn, user }, 'samples/locked-lamp.json': undefined },
      modelFor: () =>
        scriptedModel([
          ...said.map((text) => say(text)),
          call('switch_lamp', { id: 'hall', on: true }, 'toolu_1'),
          say('The hall lamp is on.'),
        ]),
    });
    const lines = await linesOf('turn-on.1');
    const answers = lines.flatMap((line) => (line.type === 'user' && line.step > 0 ? [line.text] : []));
    return { answers, outcome: results.samples[0]?.outcome, stop: results.samples[0]?.trials[0]?.stop };
  };
  expect(await play('Süre ne kadar?', 'PL-7712: 75 lira ücret?')).toMatchObject({
    answers: ['İki saat sürsün.', 'Evet, olur.'],
    stop: 'done',
  });
  expect(await play('Süre ne kadar?', 'Ek sigorta ister misiniz?')).toEqual({
    answers: ['İki saat sürsün.'],
    outcome: 'unscored',
    stop: 'no_move',
  });
});
