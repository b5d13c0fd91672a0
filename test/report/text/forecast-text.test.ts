/** Forecasts in words. */
import { expect, test } from 'vitest';
import {
  forecastAgainst,
  forecastBasis,
  forecastParts,
  forecastText,
  stillToPayText,
} from '../../../src/report/text/forecast-text.ts';

const FORECAST = {
  ...{ p50: 1.214, p90: 2.326, floor: 0.61, trials: 15 },
  parts: { design: 0.5, build: 0.6, subject: 0.114, user: 0 },
  runs: { same: 0, other: 0 },
};

test('says how much, what it is made of, and from what', () => {
  expect(forecastText(FORECAST)).toBe('about $1.21, rarely more than $2.33');
  expect(forecastParts(FORECAST)).toBe('design $0.50, build $0.60, subject $0.11');
  expect(forecastBasis(FORECAST)).toBe('typical numbers: no run has ended here yet');
  expect(forecastBasis({ runs: { same: 1, other: 2 } })).toBe('1 run of this scenario and 2 runs of others here');
  expect(forecastBasis({ runs: { same: 0, other: 2 } })).toBe('2 runs of other scenarios here');
});

test('a pack of an earlier version holds one number', () => {
  expect(stillToPayText({ estimateUsd: 0.6 })).toBe('Estimate $0.60');
  expect(stillToPayText({ estimateUsd: 1.214, forecast: FORECAST })).toBe(
    'Still to pay about $1.21, rarely more than $2.33, from typical numbers: no run has ended here yet',
  );
});

test('afterwards it says how it compares with what was paid', () => {
  const outcomes = [1, 2, 3].map((usd) => forecastAgainst(FORECAST, { usd, isOver: true }).split('; ')[1]);
  expect(outcomes).toEqual(['it cost less', 'it cost something between the two', 'it cost more']);
  expect(forecastAgainst(FORECAST, { usd: 1, isOver: false })).not.toContain('cost');
});
