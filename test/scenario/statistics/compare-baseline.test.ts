import { describe, expect, test } from 'vitest';
import {
  toBaseline as blessed,
  baselineTallies,
  compareWithBaseline,
  type Baseline,
} from '../../../src/scenario/statistics/compare-baseline.ts';
import type { SampleResult } from '../../../src/scenario/result.ts';
import { sampleOf } from '../results-of.ts';

const DIGESTS = { designDigest: 'd', componentsDigest: 'c' };

function baselineOf(samples: SampleResult[]): Baseline {
  return {
    version: 1,
    run: 'before',
    iteration: 1,
    ...DIGESTS,
    blessedBy: 'user:ada',
    blessedAt: '2026-11-20T10:00:00.000Z',
    samples: baselineTallies({ samples }),
  };
}

const compare = (before: SampleResult[], now: SampleResult[]) =>
  compareWithBaseline(baselineOf(before), { ...DIGESTS, samples: now });
const labelOf = (before: string, now: string) =>
  compare([sampleOf('s', before)], [sampleOf('s', now)]).samples[0]?.label;

describe('one sample', () => {
  test.each([
    ['pppp', 'ffff', 'regression'],
    ['ppp', 'fff', 'soft'],
    ['pppp', 'pppf', 'flaky'],
    ['pppppf', 'ppffff', 'soft'],
    ['ppff', 'ffff', 'unreliable baseline'],
    ['p', 'f', 'not enough data'],
    ['pp', 'ff', 'not enough data'],
    ['pppp', 'uuuu', 'not enough data'],
    ['pppp', 'pppp', 'same'],
    ['ffff', 'fffp', 'better'],
    ['ffff', 'pppp', 'better'],
    ['pp', 'pppp', 'same'],
    ['fff', 'ppp', 'better'],
    ['ppppf', 'fffff', 'regression'],
  ])('%s, then %s: %s', (before, now, label) => {
    expect(labelOf(before, now)).toBe(label);
  });

  test('that only one side has is new or gone, and in no comparison', () => {
    const found = compare([sampleOf('a', 'pp'), sampleOf('b', 'pp')], [sampleOf('b', 'pp'), sampleOf('c', 'ff')]);
    expect(found.samples.map(({ id, label }) => [id, label])).toEqual([
      ['a', 'gone'],
      ['b', 'same'],
      ['c', 'new'],
    ]);
    expect(found).toMatchObject({ before: { passed: 1, total: 1 }, now: { passed: 1, total: 1 } });
  });
});

describe('the whole set', () => {
  const many = (outcomes: string) => outcomes.split('').map((one, index) => sampleOf(`s${index}`, one));
  test.each([
    ['pppppppppp', 'fffffppppp', 'regression'],
    ['pppppppppp', 'ffpppppppp', 'soft'],
    ['ppp', 'fpp', 'not enough data'],
    ['pppppfffff', 'ppppppfffff'.slice(0, 10), 'same'],
    ['fffffppppp', 'pppppppppp', 'better'],
    ['pppppppppp', 'pppppppppp', 'same'],
  ])('%s, then %s: %s', (before, now, label) => {
    expect(compare(many(before), many(now)).label).toBe(label);
  });

  test('one sample of twenty that surely got worse is enough; one that looks so by chance is not', () => {
    const others = Array.from({ length: 19 }, (_, index) => sampleOf(`o${index}`, 'pppppppp'));
    const with_ = (trials: string) => [...others, sampleOf('s', trials)];
    expect(compare(with_('pppppppp'), with_('ffffffff')).label).toBe('regression');
    const byChance = compare(with_('ppp'), with_('fff'));
    expect(byChance.samples.find(({ id }) => id === 's')?.label).toBe('soft');
    expect(byChance.label).toBe('soft');
  });

  test('unscored samples are held against nobody, and leave the comparison incomplete, with the rate of before', () => {
    expect(compare(many('pppppppppp'), many('uuuuuppppp'))).toMatchObject({
      label: 'incomplete',
      now: { passed: 5, total: 5 },
    });
    expect(compare(many('ppppf'), many('uuuuu'))).toMatchObject({
      label: 'incomplete',
      rates: { before: 0.8, now: 0 },
      before: { passed: 4, total: 5 },
    });
  });

  test('a sample that dies is a regression though another one got better by as much, and never one by its line alone', () => {
    const others = Array.from({ length: 6 }, (_, index) => sampleOf(`o${index}`, 'pppp'));
    const found = compare(
      [...others, sampleOf('dies', 'pppp'), sampleOf('lives', 'ffff')],
      [...others, sampleOf('dies', 'ffff'), sampleOf('lives', 'pppp')],
    );
    expect(found.rates.before).toBe(found.rates.now);
    expect(found).toMatchObject({ label: 'regression' });
    expect(found.samples.filter(({ label }) => label !== 'same')).toMatchObject([
      { id: 'dies', label: 'regression' },
      { id: 'lives', label: 'better' },
    ]);
  });

  test.each([
    ['ppppf', 'fffff', 0.8, 'regression'],
    ['ppp', 'fff', 0.8, 'regression'],
    ['ppppf', 'fffff', 0.9, 'soft'], // not met before either
    ['pp', 'ff', 0.8, 'regression'],
    ['p', 'f', 0.8, 'not enough data'], // as likely as not by chance
    ['ppf', 'fff', 0.6, 'not enough data'],
    ['pppf', 'ffff', 0.7, 'regression'], // a whole death needs less evidence than a lower rate
    ['pppff', 'fffff', 0.6, 'regression'],
    ['pppfp', 'ffffp', 0.7, 'soft'], // the same three samples, and one that lives
    ['pppppppp', 'pppppppf', 0.8, 'soft'],
  ])('%s, then %s, with a target of %d: %s', (before, now, target, label) => {
    const found = compareWithBaseline(baselineOf(many(before)), { ...DIGESTS, samples: many(now), target });
    expect(found.label).toBe(label);
    expect(found.lostTarget).toBe(label === 'regression' ? target : undefined);
  });

  test('the trials of one sample say as much as those of several, whatever the target is', () => {
    const judge = (before: string, now: string) => {
      const held = baselineOf([sampleOf('only', before)]);
      return compareWithBaseline(held, { ...DIGESTS, samples: [sampleOf('only', now)], target: 0.6 }).label;
    };
    expect([judge('p', 'f'), judge('pp', 'ff'), judge('ppp', 'fff')]).toEqual([
      'not enough data',
      'regression',
      'regression',
    ]);
  });

  test('more trials than before lose no target, as a sample then fails more easily', () => {
    const later = Array.from({ length: 5 }, (_, index) => sampleOf(`s${index}`, 'pf'));
    const found = compareWithBaseline(baselineOf(many('ppppp')), { ...DIGESTS, samples: later, target: 0.8 });
    expect(found.lostTarget).toBeUndefined();
  });
});

describe('trials of the whole set', () => {
  const sides = (before: string, now: string, count = 8) =>
    compare(
      Array.from({ length: count }, (_, index) => sampleOf(`s${index}`, before)),
      Array.from({ length: count }, (_, index) => sampleOf(`s${index}`, now)),
    );

  test('that fall from three of four to one of four are a regression, though no sample passed all of them before', () => {
    expect(sides('pppf', 'pfff')).toMatchObject({
      label: 'regression',
      before: { passed: 0, total: 8 },
      rates: { before: 0.75, now: 0.25 },
    });
  });

  test('that pass as often as before are no regression when there are more of them', () => {
    const before = Array.from({ length: 50 }, (_, index) => sampleOf(`s${index}`, index % 10 === 0 ? 'f' : 'p'));
    const now = Array.from({ length: 50 }, (_, index) => sampleOf(`s${index}`, index % 5 < 2 ? 'pppf' : 'pppp'));
    expect(compare(before, now)).toMatchObject({
      label: 'same',
      before: { passed: 45, total: 50 },
      now: { passed: 30, total: 50 },
      rates: { before: 0.9, now: expect.closeTo(0.9, 9) },
    });
  });

  test('say which drop they would have found', () => {
    const few = sides('pp', 'pp').detects ?? 1;
    const many = sides('pppp', 'pppp', 40).detects ?? 1;
    expect(many).toBeLessThan(few);
    expect(sides('p', 'p', 2).detects).toBeUndefined();
  });
});

describe('other digests', () => {
  const before = baselineOf(Array.from({ length: 20 }, (_, index) => sampleOf(`s${index}`, 'pp')));
  const now = Array.from({ length: 20 }, (_, index) => sampleOf(`t${index}`, index < 10 ? 'ff' : 'pp'));

  test.each([
    ['designDigest', 'the designs differ'],
    ['componentsDigest', 'tools, checkers or samples differ'],
  ] as const)('with another %s only the rates are compared, and it is said', (key, why) => {
    const found = compareWithBaseline(before, { ...DIGESTS, [key]: 'other', samples: now });
    expect(found).toMatchObject({ label: 'regression', by: 'rate', samples: [] });
    expect(found.because).toContain(why);
    expect(compareWithBaseline(before, { ...DIGESTS, [key]: 'other', samples: now.slice(10) }).label).toBe('same');
  });
});

describe('the label of the whole set', () => {
  const set = (...outcomes: string[]) => outcomes.map((one, index) => sampleOf(`s${index}`, one));

  test.each(['c', 'other'])(
    'takes the same shares in another order for the same (components %s)',
    (componentsDigest) => {
      const [before, now] = [
        set('ppp', 'ppf', 'ppp', 'pff', 'fff', 'pff'),
        set('ppf', 'pff', 'pff', 'ppp', 'fff', 'ppp'),
      ];
      const found = compareWithBaseline(baselineOf(before), { ...DIGESTS, componentsDigest, samples: now });
      expect(found.label).toBe('same');
    },
  );

  test('is a regression for one sample that surely got worse, though all others got better, and not for a doubtful one', () => {
    const others = Array.from({ length: 9 }, () => 'f'.repeat(10));
    const better = others.map(() => 'p'.repeat(10));
    expect(compare(set('p'.repeat(10), ...others), set('f'.repeat(10), ...better)).label).toBe('regression');
    expect(compare(set('pppp', ...others), set('ffff', ...better))).toMatchObject({
      label: 'better',
      samples: expect.arrayContaining([expect.objectContaining({ id: 's0', label: 'soft' })]),
    });
  });

  test('of one trial each that is as before is the same; with nothing in common there is no label to give', () => {
    expect(compare(set('p'), set('p')).label).toBe('same');
    expect(compare([], set('p'))).toMatchObject({ label: 'not enough data', rates: { before: 0, now: 0 } });
    const unscored = compare(set('pppp'), set('uuuu'));
    expect(unscored).toMatchObject({ label: 'incomplete', rates: { before: 1, now: 0 }, now: { total: 0 } });
  });

  test('says that the designs differ, without their digests', () => {
    const [design, other] = ['a'.repeat(64), 'b'.repeat(64)];
    const found = compareWithBaseline(
      { ...baselineOf(set('p')), designDigest: design },
      { ...DIGESTS, designDigest: other, samples: set('p') },
    );
    expect(found.because).toBe('the designs differ');
  });
});

test('a baseline of results without numbers has none', () => {
  expect(blessed({ ...DIGESTS, samples: [sampleOf('a', 'pp'), sampleOf('b', 'u')] })).toEqual({
    ...DIGESTS,
    samples: { a: { passed: 2, total: 2 } },
  });
});
