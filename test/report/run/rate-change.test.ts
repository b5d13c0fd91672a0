/** What moved the rate: repairs of what decides a sample, or the subject where nothing was changed. */
import { expect, test } from 'vitest';
import { changesTable } from '../../../src/report/run/iteration-tables.ts';
import { describeChanges, changeRows, formatPoints, rateChange } from '../../../src/report/run/rate-change.ts';
import type { IterationSummary } from '../../../src/report/run/run-summary.ts';
import type { SampleResult } from '../../../src/scenario/result.ts';
import { failing, results, sample } from '../makers.ts';

const uses = (id: string, ...more: string[]): Partial<SampleResult> => ({ uses: [`samples/${id}.json`, ...more] });
const files = (changes: Record<string, string> = {}) => ({
  ...{ 'samples/a.json': '1', 'samples/b.json': '1', 'samples/c.json': '1', 'samples/d.json': '1' },
  ...{ 'tools/pay.mjs': '1', 'tools/log.mjs': '1', ...changes },
});
const before = results(
  [
    failing('a', 2, {}, uses('a', 'tools/pay.mjs')),
    failing('b', 4, {}, uses('b', 'tools/log.mjs')),
    sample('c', uses('c', 'tools/log.mjs')),
    sample('d', uses('d')),
  ],
  { components: files() },
);

test('what the old words and calls are worth now is the repair’s, the rest the subject’s where it met the same', () => {
  const repaired = { 'tools/pay.mjs': '2', 'samples/d.json': '2' };
  const moved = (a: Partial<SampleResult>, d: Partial<SampleResult>) =>
    rateChange(
      results(
        [
          sample('a', { ...uses('a', 'tools/pay.mjs'), ...a }),
          sample('b', uses('b', 'tools/log.mjs')),
          sample('c', uses('c', 'tools/log.mjs')),
          failing('d', 4, {}, { ...uses('d'), ...d }),
        ],
        { iteration: 2, components: files(repaired) },
      ),
      before,
    );
  const pass = { outcome: 'pass', alike: true } as const;
  // The repair alone makes the old conversation right; d fails by what its subject said otherwise.
  expect(moved({ earlier: pass }, { earlier: pass })).toMatchObject({
    ...{ evaluation: 0.25, subject: 0, either: 0, byRepair: ['a (now passes)'], byEither: [] },
    bySubject: ['b (now passes)', 'd (now fails, was pass)'],
  });
  // The old conversation of a fails as before: its subject spoke differently. d's own is worth nothing any more.
  expect(
    moved({ earlier: { outcome: 'fail', alike: true } }, { earlier: { outcome: 'fail', alike: true } }),
  ).toMatchObject({
    ...{ evaluation: -0.25, subject: 0.5, either: 0 },
    ...{ byRepair: ['d (now fails, was pass)'], bySubject: ['a (now passes)', 'b (now passes)'] },
  });
  // Another world for a; of d nothing is known.
  expect(moved({ earlier: { outcome: 'fail', alike: false } }, {})).toMatchObject({
    ...{ evaluation: 0, subject: 0.25, either: 0 },
    byEither: ['a (now passes)', 'd (now fails, was pass)'],
  });
});

test('a sample whose repair and subject undo each other is named once', () => {
  const still = failing('a', 4, {}, { ...uses('a', 'tools/pay.mjs'), earlier: { outcome: 'pass', alike: true } });
  const now = results([still, ...before.samples.slice(1)], {
    iteration: 2,
    components: files({ 'tools/pay.mjs': '2' }),
  });
  expect(rateChange(now, before)).toMatchObject({
    ...{ evaluation: 0.25, subject: -0.25, either: 0 },
    ...{ byRepair: ['a (passes by the repair alone, fails all the same)'], bySubject: [] },
  });
});

test('a sample that turns though nothing was changed is the subject’s; what nobody judged again is one of both', () => {
  const now = results(
    [
      sample('a', uses('a', 'tools/pay.mjs')),
      sample('b', uses('b', 'tools/log.mjs')),
      failing('c', 4, {}, uses('c', 'tools/log.mjs')),
      sample('d', uses('d')),
    ],
    { iteration: 2, components: files({ 'tools/pay.mjs': '2' }) },
  );
  expect(rateChange(now, before)).toEqual({
    ...{ evaluation: 0, subject: 0, either: 0.25, otherDesign: false, added: [], removed: [], scoredOnce: [] },
    ...{ changedFiles: ['tools/pay.mjs'], byRepair: [], byEither: ['a (now passes)'] },
    bySubject: ['b (now passes)', 'c (now fails, was pass)'],
  });
});

test('samples that come and go are the evaluation’s doing, and the parts add up to the whole', () => {
  const now = results(
    [sample('a', uses('a', 'tools/pay.mjs')), sample('b', uses('b', 'tools/log.mjs')), sample('e', uses('e'))],
    {
      iteration: 2,
      components: { ...files({ 'tools/pay.mjs': '2', 'samples/e.json': '1' }) },
    },
  );
  const change = rateChange(now, before);
  expect((change?.evaluation ?? 0) + (change?.subject ?? 0) + (change?.either ?? 0)).toBeCloseTo(
    now.successRate - before.successRate,
  );
  expect(change).toMatchObject({ subject: 0.5, added: ['e'], removed: ['c', 'd'], bySubject: ['b (now passes)'] });
  expect(change && describeChanges(change)).toBe('new sample e, removed sample c, removed sample d, tools/pay.mjs');
});

test('another design touches every sample; results without digests say nothing', () => {
  const now = results(
    before.samples.map((one) => sample(one.id, { uses: one.uses ?? [] })),
    { iteration: 2, designDigest: 'other', components: files() },
  );
  expect(rateChange(now, before)).toMatchObject({ evaluation: 0, subject: 0, either: 0.5, otherDesign: true });
  const { components: _components, ...old } = now;
  expect(rateChange(old, before)).toBeUndefined();
  const rows = changeRows([{ results: before }, {}, { results: old }] as IterationSummary[]);
  expect(rows).toMatchObject([{ from: 1, to: 2, whole: 0.5, change: undefined, notes: [] }]);
});

test('points have a sign, and nothing has none', () => {
  expect([formatPoints(0.1875), formatPoints(-0.25), formatPoints(0)]).toEqual(['+18.8', '−25.0', '0']);
});

test('a row holds what Execute said between the two evaluations, and the last one what it said at the end', () => {
  const notes = (...said: string[]) => ({ results: { ...before, notes: said } });
  const iterations = [
    notes('built', 'next: repair a'),
    notes('repaired a', 'next: repair b'),
    notes('repaired b', 'done'),
  ];
  expect(changeRows(iterations as IterationSummary[]).map((row) => row.notes)).toEqual([
    ['next: repair a', 'repaired a'],
    ['next: repair b', 'repaired b', 'done'],
  ]);
  expect(changesTable(iterations as IterationSummary[])?.rows[0]?.at(-1)).toEqual({
    text: 'next: repair a · repaired a',
  });
});

test('a sample that had no verdict moves the rate, and is named where nothing was changed', () => {
  const lost = results([sample('a', uses('a')), sample('b', { ...uses('b'), outcome: 'unscored' })], {
    components: files(),
  });
  const found = results([sample('a', uses('a')), failing('b', 4, {}, uses('b'))], { components: files() });
  const change = rateChange(found, lost);
  expect(change?.scoredOnce).toEqual(['b']);
  expect(describeChanges(change ?? expect.fail())).toBe('a verdict in one of the two only: b');
});
