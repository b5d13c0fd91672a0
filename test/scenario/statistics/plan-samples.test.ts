import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { samplesNeeded } from '../../../src/scenario/statistics/plan-samples.ts';
import { wilsonInterval } from '../../../src/scenario/statistics/score.ts';

test('each failure that is forgiven costs samples', () => {
  expect(samplesNeeded(0.85, [0, 1, 8])).toEqual([
    { failures: 0, samples: 22, passes: 22 },
    { failures: 1, samples: 34, passes: 33 },
    { failures: 8, samples: 100, passes: 92 },
  ]);
  expect(samplesNeeded(0.9999, [0])).toEqual([]);
});

test('the passes that are needed reach the target, and one sample less does not', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.05, max: 0.98, noNaN: true }),
      fc.integer({ min: 0, max: 30 }),
      (target, failures) => {
        for (const { samples, passes } of samplesNeeded(target, [failures])) {
          expect(wilsonInterval(passes, samples)[0]).toBeGreaterThanOrEqual(target - 1e-9);
          if (passes > 1) expect(wilsonInterval(passes - 1, samples - 1)[0]).toBeLessThan(target);
        }
      },
    ),
  );
});
