import { describe, expect, test } from 'vitest';
import { MetricReport } from '../../../src/scenario/metric.ts';
import type { SampleResult } from '../../../src/scenario/result.ts';
import { toBaseline, compareWithBaseline } from '../../../src/scenario/statistics/compare-baseline.ts';
import { compareMetrics, metricReports } from '../../../src/scenario/statistics/metrics.ts';
import { sampleOf } from '../results-of.ts';

/** A sample whose trials got these scores of the checker `words`; without one the trial is unscored. */
function scoredSample(id: string, scores: readonly (number | undefined)[]): SampleResult {
  const sample = sampleOf(id, scores.map((score) => (score === undefined ? 'u' : 'p')).join(''));
  const trials = sample.trials.map((trial, index) => {
    const score = scores[index];
    const numbers = score === undefined ? {} : { score, metrics: { length: score * 10 } };
    return { ...trial, verdicts: [{ checker: 'words', pass: true, reason: 'r', evidence: [], ...numbers }] };
  });
  return { ...sample, trials };
}

const DIGESTS = { designDigest: 'd', componentsDigest: 'c' };
const compare = (before: SampleResult[], now: SampleResult[], digests = DIGESTS) =>
  compareWithBaseline(toBaseline({ ...DIGESTS, samples: before }), { ...digests, samples: now });

describe('numbers of checkers', () => {
  test('are summarised with every sample weighing the same, whatever its trials', () => {
    const samples = [scoredSample('a', [0, 0, 0, 0]), scoredSample('b', [1]), scoredSample('c', [0.5, undefined])];
    const [length, score] = metricReports(samples);
    expect(score).toMatchObject({ checker: 'words', name: 'score', mean: 0.5, min: 0, max: 1, samples: 3, trials: 6 });
    expect(length).toMatchObject({ name: 'length', mean: 5 });
    const [low, high] = score?.interval ?? expect.fail();
    // Student's t with two degrees of freedom: 4.303 standard errors of 0.2887 each way.
    expect([low, high]).toEqual([expect.closeTo(0.5 - 1.2, 1), expect.closeTo(0.5 + 1.2, 1)]);
  });

  test('of any size can be written down and read again', () => {
    const largest = Number.MAX_VALUE / 10;
    const reports = metricReports(['a', 'b', 'c'].map((id) => scoredSample(id, [largest, largest])));
    expect(reports[1]).toMatchObject({ name: 'score', mean: largest });
    const wide = metricReports([1e200, 2e200, 4e200].map((score, index) => scoredSample(`s${index}`, [score])));
    expect(wide[1]).not.toHaveProperty('interval');
    for (const report of wide) expect(MetricReport.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
  });

  test('have no interval with fewer than three samples, and are nowhere when nobody gives any', () => {
    expect(metricReports([scoredSample('a', [1]), scoredSample('b', [0])])[1]).not.toHaveProperty('interval');
    expect(metricReports([sampleOf('a', 'pp')])).toEqual([]);
  });

  test('have intervals that hold the truth in at least 93 of 100 draws', () => {
    let state = 7;
    const uniform = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    for (const count of [3, 10, 40]) {
      let held = 0;
      for (let draw = 0; draw < 400; draw += 1) {
        const samples = Array.from({ length: count }, (_, index) => scoredSample(`s${index}`, [5 + normal()]));
        const [low, high] = metricReports(samples)[1]?.interval ?? expect.fail();
        if (low <= 5 && high >= 5) held += 1;
      }
      expect(held / 400).toBeGreaterThanOrEqual(0.93);
    }
  });
});

describe('compared with a baseline', () => {
  const many = (score: (index: number) => number) =>
    Array.from({ length: 12 }, (_, index) => scoredSample(`s${index}`, [score(index)]));

  test('are paired by sample, which shows a change that their spread would hide; the label of the whole is by pass and fail', () => {
    const found = compare(
      many((index) => index),
      many((index) => index - 0.5 - (index % 2) * 0.1),
    );
    expect(found.label).toBe('same');
    expect(found.metrics?.find(({ name }) => name === 'score')).toMatchObject({
      label: 'lower',
      difference: expect.closeTo(-0.55, 9),
      before: 5.5,
    });
  });

  test('are two means under other components, and need more', () => {
    const other = { ...DIGESTS, componentsDigest: 'e' };
    const found = compare(
      many((index) => index),
      many((index) => index - 0.5),
      other,
    );
    expect(found.metrics?.[1]).toMatchObject({ label: 'same', difference: expect.closeTo(-0.5, 9) });
    expect(
      compare(
        many((index) => index),
        many((index) => index + 100),
        other,
      ).metrics?.[1]?.label,
    ).toBe('higher');
    expect(
      compare(
        many(() => 3),
        many(() => 3),
        other,
      ).metrics?.[1],
    ).toMatchObject({ interval: [0, 0], label: 'same' });
  });

  test('say nothing of two samples, and a baseline of before holds none', () => {
    expect(compare([scoredSample('a', [1])], [scoredSample('a', [2])]).metrics?.[0]?.label).toBe('not enough data');
    expect(compare([sampleOf('a', 'p')], [scoredSample('a', [2])])).not.toHaveProperty('metrics');
  });
});

describe('two sets of means', () => {
  const means = (...values: number[]) => ({
    'words.score': Object.fromEntries(values.map((one, at) => [`s${at}`, one])),
  });

  test('of the same samples: 4.303 standard errors of the three differences 1, 2 and 6 each way', () => {
    const [found] = compareMetrics(means(1, 1, 1), means(2, 3, 7), 'sample');
    // Their variance is 7; Cornish and Fisher's series gives 4.2 for 4.303 at two degrees of freedom.
    expect(found).toMatchObject({ checker: 'words', name: 'score', before: 1, now: 4, difference: 3, label: 'same' });
    const [low = 0, high = 0] = found?.interval ?? [];
    expect((high - low) / 2 / Math.sqrt(7 / 3)).toBeCloseTo(4.2, 1);
    expect((high + low) / 2).toBeCloseTo(3, 12);
  });

  test('of other samples: Welch, with 6.97 degrees of freedom and so 2.366 standard errors of 1.6833', () => {
    const [found] = compareMetrics(means(1, 2, 3, 4, 5), means(2, 4, 6, 8, 10, 12), 'rate');
    expect(found).toMatchObject({ difference: 4, label: 'higher' });
    expect(found?.interval).toEqual([expect.closeTo(0.017, 2), expect.closeTo(7.983, 2)]);
    const [other] = compareMetrics(means(2, 4, 6, 8, 10, 12), means(1, 2, 3, 4, 5), 'rate');
    expect(other).toMatchObject({ difference: -4, label: 'lower' });
  });

  test('need three samples, on both sides where they are other ones; what one side lacks is left out', () => {
    expect(compareMetrics(means(1, 2), means(2, 3), 'sample')).toMatchObject([{ label: 'not enough data' }]);
    expect(compareMetrics(means(1, 2, 3), means(2, 3), 'rate')).toMatchObject([{ label: 'not enough data' }]);
    expect(compareMetrics(means(1, 2), means(2, 3, 4), 'rate')).toMatchObject([{ label: 'not enough data' }]);
    expect(compareMetrics(means(1, 2, 3), means(2, 3, 5), 'sample')[0]).toHaveProperty('interval');
    expect(compareMetrics({ 'words.score': { other: 1 } }, means(1), 'sample')).toEqual([]);
    expect(compareMetrics({ 'words.score': {} }, means(1), 'rate')).toEqual([]);
    expect(compareMetrics(means(1), { 'words.score': {} }, 'rate')).toEqual([]);
  });
});
