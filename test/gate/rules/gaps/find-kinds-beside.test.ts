import { expect, test } from 'vitest';
import { findKindsBeside } from '../../../../src/gate/rules/gaps/find-kinds-beside.ts';
import { Cases } from '../../../../src/scenario/cases/cases.ts';
import { formatOf, rule } from '../../../support/designs.ts';

const cases = Cases.parse({ attributes: { request: ['extend', 'reserve'] }, outcomes: { told: ['yes'] } });
const BRIEF = 'Readers extend or reserve a book. Some of them donate one. We are patient with all.';
const POLICY = 'A book that readers donate is entered into the catalogue.';
const find = (policy: string, ...rules: Parameters<typeof findKindsBeside>[1]) =>
  findKindsBeside({ ...formatOf(), cases }, rules, [
    { path: 'brief.md', text: BRIEF },
    { path: 'policies/books.md', text: policy },
  ]).map(({ name }) => name);

test('names the sentence beside the kinds that a policy says more of', () => {
  expect(find(POLICY)).toEqual(['Some of them donate one.']);
});

test('is content where a rule is about it, and where nothing more is said', () => {
  expect(find(POLICY, rule('R1', 'A book that readers donate is entered.', {}))).toEqual([]);
  expect(find('The branch closes at six.')).toEqual([]);
});

test('sees a kind whose sentence shares a word with a name of what is decided, or with a kind that the list has', () => {
  const own = Cases.parse({
    attributes: { request: ['extend_loan', 'old_card'] },
    outcomes: { old_loan: ['returned', 'kept'] },
  });
  const text = 'Readers extend a loan or change an old card. Some bring an old atlas for the cellar. We are patient.';
  const found = findKindsBeside(
    { ...formatOf(), cases: own },
    [rule('R1', 'Each has its end.', { demands: { old_loan: 'kept' } })],
    [
      { path: 'brief.md', text },
      { path: 'policies/books.md', text: 'An atlas goes to the cellar.' },
    ],
  );
  expect(found.map(({ name }) => name)).toEqual(['Some bring an old atlas for the cellar.']);
});
