import { expect, test } from 'vitest';
import { sampleEvenly, shownSource } from '../../../../../src/evaluation/proof/strength/mutants/mutant.ts';

test('the choice is even, and the same each time', () => {
  const all = Array.from({ length: 100 }, (_, index) => index);
  expect(sampleEvenly(all, 4)).toEqual([0, 25, 50, 75]);
  expect(sampleEvenly(all, 200)).toEqual(all);
  expect(sampleEvenly(all, 0)).toEqual([]);
});

test('source is shown as one short line', () => {
  expect(shownSource('a\n  && b ')).toBe('a && b');
  expect(shownSource('x'.repeat(100))).toHaveLength(80);
});
