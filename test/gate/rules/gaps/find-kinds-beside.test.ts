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
