import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { passHatK, passTable } from '../../../src/scenario/statistics/pass-k.ts';

test('is the share of ways to draw k trials that all passed', () => {
  expect([1, 2, 3, 4].map((k) => passHatK({ passed: 3, total: 4 }, k))).toEqual([3 / 4, 3 / 6, 1 / 4, 0]);
  expect(passHatK({ passed: 4, total: 4 }, 4)).toBe(1);
  expect(passHatK({ passed: 0, total: 4 }, 1)).toBe(0);
  expect(passHatK({ passed: 2, total: 3 }, 4)).toBeUndefined();
  expect(passHatK({ passed: 2, total: 3 }, 0)).toBeUndefined();
});

test('agrees with drawing every subset of the trials', () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 8 }),
      (trials, wanted) => {
        const k = Math.min(wanted, trials.length);
        const subsets = Array.from({ length: 2 ** trials.length }, (_, mask) =>
          trials.filter((__, index) => (mask >> index) & 1),
        );
        const drawn = subsets.filter((subset) => subset.length === k);
        const share = drawn.filter((subset) => subset.every(Boolean)).length / drawn.length;
        expect(passHatK({ passed: trials.filter(Boolean).length, total: trials.length }, k)).toBeCloseTo(share, 12);
      },
    ),
  );
});

test('the table goes as far as every sample has trials, and leaves out samples that were never tried', () => {
  expect(
    passTable([
      { passed: 1, total: 2 },
      { passed: 3, total: 3 },
      { passed: 0, total: 0 },
    ]),
  ).toEqual([0.75, 0.5]);
  expect(passTable([])).toEqual([]);
  // A thousand trials do not overflow.
  expect(passTable([{ passed: 900, total: 1000 }])[0]).toBeCloseTo(0.9, 12);
  expect(passTable([{ passed: 900, total: 1000 }])[999]).toBe(0);
});
