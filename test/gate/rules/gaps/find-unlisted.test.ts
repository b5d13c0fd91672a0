import { expect, test } from 'vitest';
import { findUnlisted } from '../../../../src/gate/rules/gaps/find-unlisted.ts';
import { Cases } from '../../../../src/scenario/cases/cases.ts';
import { formatOf, rule } from '../../../support/designs.ts';

const cases = Cases.parse({ attributes: { request: ['extend', 'reserve'] }, outcomes: { told: ['yes'] } });
const find = (text: string, ...rules: Parameters<typeof findUnlisted>[1]) =>
  findUnlisted({ ...formatOf(), cases }, rules, [{ path: 'brief.md', text }]).map(({ name }) => name);

test('names what stands between two values and is none', () => {
  expect(find('Readers extend, lose or reserve a book.')).toEqual(['lose']);
});

test('does not ask for what a rule is about, nor for lists of another kind', () => {
  const about = rule('R1', 'Pay.', { applies_to: ['issue_refund'] });
  expect(find('Readers extend, want a refund or reserve a book.', about)).toEqual([]);
  expect(find('Readers extend, lose or burn a book.')).toEqual([]);
});
