import { describe, expect, test } from 'vitest';
import {
  baselineTallies,
  compareWithBaseline,
  type Baseline,
} from '../../../src/scenario/statistics/compare-baseline.ts';
import { fisherWorse, mcnemarWorse } from '../../../src/scenario/statistics/compare-baseline-exact.ts';
import type { Results, SampleResult } from '../../../src/scenario/result.ts';
import { sampleOf } from '../results-of.ts';

function baselineOf(samples: SampleResult[]): Baseline {
  return {
    version: 1,
    run: 'before',
    iteration: 1,
    designDigest: 'd',
    componentsDigest: 'c',
    blessedBy: 'user:ada',
    blessedAt: '2026-11-20T10:00:00.000Z',
    samples: baselineTallies({ samples } as Results),
  };
}

const compare = (before: SampleResult[], now: SampleResult[]) => compareWithBaseline(baselineOf(before), now);
const labelOf = (before: string, now: string) =>
  compare([sampleOf('s', before)], [sampleOf('s', now)]).samples[0]?.label;

describe('the exact tests', () => {
  test('Fisher’s on the table of the tea-tasting lady', () => {
    // 3 of 4 right against 1 of 4: one side 17/70.
    expect(fisherWorse({ passed: 3, total: 4 }, { passed: 1, total: 4 })).toBeCloseTo(17 / 70, 12);
    expect(fisherWorse({ passed: 4, total: 4 }, { passed: 0, total: 4 })).toBeCloseTo(1 / 70, 12);
    expect(fisherWorse({ passed: 2, total: 2 }, { passed: 2, total: 2 })).toBe(1);
  });

  test('McNemar’s is a coin thrown for each sample that changed', () => {
    expect(mcnemarWorse(0, 5)).toBeCloseTo(1 / 32, 12);
    expect(mcnemarWorse(1, 5)).toBeCloseTo(7 / 64, 12);
    expect(mcnemarWorse(0, 0)).toBe(1);
  });
});

describe('one sample', () => {
  test.each([
    ['pppp', 'ffff', 'regression'],
    ['ppp', 'fff', 'regression'],
    ['pppp', 'pppf', 'flaky'],
    ['pppppf', 'ppffff', 'soft'],
    ['ppff', 'ffff', 'unreliable baseline'],
    ['p', 'f', 'not enough data'],
    ['pp', 'ff', 'not enough data'],
    ['pppp', 'uuuu', 'not enough data'],
    ['pppp', 'pppp', 'same'],
    ['ffff', 'fffp', 'same'],
    ['ffff', 'pppp', 'better'],
    ['pp', 'pppp', 'same'],
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
    expect(byChance.samples.find(({ id }) => id === 's')?.label).toBe('regression');
    expect(byChance.label).toBe('soft');
  });

  test('unscored samples are never held against anybody', () => {
    expect(compare(many('pppppppppp'), many('uuuuuppppp'))).toMatchObject({
      label: 'same',
      now: { passed: 5, total: 5 },
    });
  });
});
