import { describe, expect, it, test } from 'vitest';
import {
  formatBar,
  formatCount,
  formatDuration,
  intervalText,
  iterationRate,
  paidCell,
  paidText,
  rateInterval,
  rateText,
  shortDigest,
  formatSparkline,
  formatTokens,
  uncertainNote,
  formatUsd,
} from '../../../src/report/text/number-format.ts';

describe('figures', () => {
  it('cut both ends of an interval', () => {
    expect(intervalText([0.621, 0.963])).toBe('62.1–96.3 %');
  });

  it('show small money whole and large money in cents', () => {
    expect([0, 0.0042, 0.31, 1834.239].map(formatUsd)).toEqual(['$0.00', '$0.0042', '$0.31', '$1834.24']);
  });

  it('shorten tokens and durations', () => {
    expect([950, 18_240, 999_960, 2_400_000].map(formatTokens)).toEqual(['950', '18.2k', '1.0M', '2.4M']);
    expect([850, 41_300, 59_990, 245_000, 7_380_000].map(formatDuration)).toEqual([
      '850 ms',
      '41.3 s',
      '1 min 00 s',
      '4 min 05 s',
      '2 h 03 min',
    ]);
  });

  it('say so when there is no number', () => {
    expect([formatUsd(Number.NaN), formatTokens(Infinity), formatDuration(-1)]).toEqual(['–', '–', '–']);
  });

  it('draw bars and lines that keep to their scale', () => {
    expect(formatBar(0.5, 4)).toBe('██░░');
    expect(formatBar(7, 3)).toBe('███');
    expect(formatBar(Number.NaN, 2)).toBe('░░');
    expect(formatSparkline([0, 0.5, 1, 9])).toBe('▁▅██');
  });

  it('count and shorten names', () => {
    expect([
      formatCount(1, 'rule'),
      formatCount(0, 'rule'),
      formatCount(2, 'change of format', 'changes of format'),
    ]).toEqual(['1 rule', '0 rules', '2 changes of format']);
    expect(shortDigest('sha256:4be2a9c01f77d3aa51e0')).toBe('4be2a9c01f77');
  });
});

test('money that may have been paid is shown with what surely was, and never alone', () => {
  expect([paidText({ usd: 1.2 }), paidCell({ usd: 1.2, uncertainUsd: 0 })]).toEqual(['$1.20', '$1.20']);
  const both = { usd: 1.2, uncertainUsd: 0.051 };
  expect(paidText(both)).toBe('$1.20 + up to $0.05 uncertain');
  expect(paidCell(both)).toBe('$1.20–1.25');
  expect(paidCell({ usd: 1.2, uncertainUsd: 0.0001 })).toBe('$1.20');
  expect(uncertainNote(both, 'of $5.00')).toBe('of $5.00; $0.05 are uncertain: failed calls, or calls under way');
});

test('of nothing there is no rate', () => {
  const none = { iteration: 1, total: 0, successRate: 0, interval: [0, 1] as const };
  expect([rateText(none), rateInterval(none), iterationRate(none)]).toEqual(['–', '–', 'i1 –']);
  const some = { iteration: 2, total: 7, successRate: 2 / 7, interval: [0.082, 0.641] as const };
  expect([rateText(some), rateInterval(some), iterationRate(some)]).toEqual(['28.6 %', '8.2–64.1 %', 'i2 28.6 %']);
});
