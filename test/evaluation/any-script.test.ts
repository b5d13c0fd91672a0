/** A sample that is named in another script, from its file to its trace and its JUnit report. */
import { expect, test } from 'vitest';
import { renderJUnit } from '../../src/report/run/junit.ts';
import { Sample } from '../../src/scenario/sample.ts';
import { refundDesk } from '../report/refund-desk.ts';
import { withResults } from '../report/refund-desk-moments.ts';
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
