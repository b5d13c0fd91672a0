import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPercent, RATE_EPSILON } from '../../src/scenario/percent.ts';

describe('percent', () => {
  it('is rounded to a tenth, and cut where it would be lifted to a whole percent', () => {
    expect([17 / 19, 15 / 16, 0.8496, 0.84999, 0.99999, 0.85, 0.29, 14 / 15, 1, 0].map(formatPercent)).toEqual([
      '89.5 %',
      '93.8 %',
      '84.96 %',
      '84.99 %',
      '99.99 %',
      '85 %',
      '29 %',
      '93.3 %',
      '100 %',
      '0 %',
    ]);
    expect(formatPercent(Number.NaN)).toBe('– %');
  });

  const target = fc.integer({ min: 1, max: 100 }).map((percent) => percent / 100);

  it('never shows a rate below a target in whole percent as the target', () => {
    fc.assert(
      fc.property(target, fc.double({ min: 0, max: 1, noNaN: true }), (wanted, share) => {
        const missed = Math.max(0, wanted - RATE_EPSILON * 2) * share;
        expect(formatPercent(missed)).not.toBe(formatPercent(wanted));
        expect(Number.parseFloat(formatPercent(missed)) / 100).toBeLessThan(wanted);
      }),
    );
  });

  it('is at most half a tenth of a percent from the rate', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (rate) => {
        expect(Math.abs(Number.parseFloat(formatPercent(rate)) - rate * 100)).toBeLessThanOrEqual(0.05 + 1e-6);
      }),
    );
  });

  it('shows a share of samples exactly where it is a whole tenth', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.constantFrom(1, 2, 4, 5, 8, 10, 20, 40, 125),
        (tenths, total) => {
          const passed = (tenths * total) / 1000;
          fc.pre(Number.isInteger(passed));
          expect(formatPercent(passed / total)).toBe(`${tenths / 10} %`);
        },
      ),
    );
  });
});
