import { expect, test } from 'vitest';
import { toKey } from '../../../../src/evaluation/proof/table/missed-demands.ts';
import { proveHire } from '../tool-hire.ts';

test('a checker that takes another amount is named, with the play that shows it', async () => {
  const { ok, remarks = [] } = await proveHire({ 'checkers/late-fee.mjs': ['charged !== owed', 'charged > owed'] });
  expect(ok).toBe(true);
  expect(remarks.map(({ layer, code, component }) => [layer, code, component])).toContainEqual([
    3,
    'checker-misses-demand',
    'late-fee',
  ]);
  expect(remarks[0]?.message).toMatch(/accepts the gold path of .* where R2 demands late fee: .* it refuses /);
});

test('a checker that looks at no order is named, though it refuses other things', async () => {
  const edit: [string, string] = [' && (passedAt < 0 || index < passedAt)', ' && passedAt < 0'];
  const { remarks = [] } = await proveHire({ 'checkers/identity-first.mjs': edit });
  expect(remarks).toMatchObject([{ code: 'checker-misses-demand', component: 'identity-first' }]);
  expect(remarks[0]?.message).toMatch(/with identify after all other calls .* where R1 demands/);
});

test('a demand is known by its rule and outcome', () => {
  expect(toKey({ rule: 'R2', outcome: 'fee' })).toBe('R2 fee');
  expect(toKey({ outcome: 'frame' })).toBe(' frame');
});
