import { expect, test } from 'vitest';
import { accountFor } from '../../../../src/gate/rules/gaps/account-for.ts';
import { Cases } from '../../../../src/scenario/cases/cases.ts';
import { formatOf, rule } from '../../../support/designs.ts';

const cases = Cases.parse({ attributes: { request: ['extend', 'reserve'] }, outcomes: { told: ['yes'] } });
const TEXT = 'A book is extended once. A book is reserved by card. A book is donated at the branch.';
const account = accountFor(
  { ...formatOf(), cases },
  [rule('R1', 'A book is extended once.')],
  [{ path: 'a.md', text: TEXT }],
);

test('accounts for what a rule says in other forms of the words', () => {
  expect(account('extending books')).toEqual({ share: 1, unknown: [] });
});

test('names the words that the design lacks, and weighs a rare one more than one of every sentence', () => {
  const { share, unknown } = account('a book is donated');
  expect(unknown).toEqual(['donated']);
  expect(share).toBeLessThan(0.2);
});

test('finds a word behind an ending that changes its last letter', () => {
  const own = accountFor({ ...formatOf(), cases }, [rule('R1', 'Nabrousit hrany.')], []);
  expect(own('nabroušení hran').share).toBe(1);
});

test('takes numbers for accounted, because they are no kinds', () => {
  expect(account('30')).toEqual({ share: 1, unknown: [] });
});

test('takes words that stand in different rules for no account of what holds them together', () => {
  const rules = [rule('R1', 'A late return costs a fee.'), rule('R2', 'A delivery is signed for.')];
  const own = accountFor({ ...formatOf(), cases }, rules, [
    { path: 'a.md', text: 'Some complain about a late delivery.' },
  ]);
  expect(own('a late delivery').unknown).toEqual([]);
  expect(own('a late delivery').share).toBeLessThan(1);
});
