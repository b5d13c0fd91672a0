import { expect, test } from 'vitest';
import { mutateGoldWorld } from '../../../src/evaluation/proof/verify-sample.ts';

const before = { lamps: { hall: { on: false }, cellar: { on: true } } };
const gold = { lamps: { hall: { on: true }, cellar: { on: false } } };

test('a mutant lacks one change of the gold path, or has one changed leaf', () => {
  expect(mutateGoldWorld(before, gold, [])).toEqual([
    { lamps: { hall: { on: true }, cellar: { on: true } } },
    { lamps: { hall: { on: true }, cellar: { on: true } } },
    { lamps: { hall: { on: false }, cellar: { on: false } } },
    { lamps: { hall: { on: false }, cellar: { on: false } } },
  ]);
});

test('an accepted end is no mutant', () => {
  const other = { lamps: { hall: { on: false }, cellar: { on: false } } };
  expect(mutateGoldWorld(before, gold, [other])).not.toContainEqual(other);
  expect(mutateGoldWorld(before, gold, [other])).toHaveLength(2);
});

test('a gold path without effect still has a mutant: one leaf of its world is changed, also below keys with slashes', () => {
  expect(mutateGoldWorld(before, before, [])).toEqual([{ lamps: { hall: { on: false }, cellar: { on: false } } }]);
  const odd = { 'a/b~c': ['x'] };
  expect(mutateGoldWorld(odd, odd, [])).toEqual([{ 'a/b~c': ['x-changed'] }]);
});

test('there are at most six', () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, index]));
  expect(mutateGoldWorld({}, many, [])).toHaveLength(6);
});

test('they are the same for a world whose keys stand in another order', () => {
  const reversed = { lamps: { cellar: { on: true }, hall: { on: false } } };
  const end = { lamps: { cellar: { on: false }, hall: { on: true } } };
  expect(mutateGoldWorld(reversed, end, [])).toEqual(mutateGoldWorld(before, gold, []));
});
