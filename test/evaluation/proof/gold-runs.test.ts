import { expect, test } from 'vitest';
import { createSuspicion, maskIds, type GoldRun } from '../../../src/evaluation/proof/gold-runs.ts';

test('the same place of two records is one place', () => {
  expect(maskIds('/orders/HW-2041/cases/0')).toBe('/orders/*/cases/*');
  expect(maskIds('/session/member')).toBe('/session/member');
});

test('a suspicion names the first place that is wrong, and all its samples', () => {
  const gold = { before: {}, after: {}, calls: [], says: [], stop: 'done' } as const;
  const run: GoldRun = {
    sample: 'a',
    gold: { ...gold, calls: [], says: [] },
    differences: [{ path: '/x' }],
    rejected: true,
  };
  const found = createSuspicion('lamp', 'it does nothing', [run]);
  expect(found?.samples).toEqual(['a']);
  expect(found?.problem.message).toContain('1 gold paths end wrong (a: /x is not as expected): a');
  expect(createSuspicion('lamp', 'it does nothing', [])).toBeUndefined();
});
