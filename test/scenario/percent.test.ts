import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPercent, RATE_EPSILON } from '../../src/scenario/percent.ts';

describe('percent', () => {
  it('is cut to a tenth', () => {
    expect([0.8496, 0.84999, 0.99999, 0.85, 0.29, 14 / 15, 0.57, 1, 0].map(formatPercent)).toEqual([
      '84.9 %',
      '84.9 %',
      '99.9 %',
      '85 %',
      '29 %',
      '93.3 %',
      '57 %',
      '100 %',
      '0 %',
    ]);
    expect(formatPercent(Number.NaN)).toBe('– %');
  });

  const target = fc.integer({ min: 1, max: 1000 }).map((tenths) => tenths / 1000);

  it('never shows a rate below the target as the target', () => {
    fc.assert(
      fc.property(target, fc.double({ min: 0, max: 1, noNaN: true }), (wanted, share) => {
        const missed = Math.max(0, wanted - RATE_EPSILON * 2) * share;
        expect(formatPercent(missed)).not.toBe(formatPercent(wanted));
        expect(Number.parseFloat(formatPercent(missed)) / 100).toBeLessThan(wanted);
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
