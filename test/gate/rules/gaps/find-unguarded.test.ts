import { expect, test } from 'vitest';
import { findUnguarded } from '../../../../src/gate/rules/gaps/find-unguarded.ts';
import { Cases } from '../../../../src/scenario/cases/cases.ts';
import { formatOf, rule } from '../../../support/designs.ts';

const consent = rule('R1', 'Ask first.', { applies_to: ['issue_refund'], when: 'all', demands: 'words' });
const paid = rule('R2', 'Pay.', { applies_to: ['issue_refund'], when: 'all', demands: { paid: 'yes' } });
const find = (attributes: object, ...rules: Parameters<typeof findUnguarded>[1]) =>
  findUnguarded({ ...formatOf(), cases: Cases.parse({ attributes, outcomes: { paid: ['yes', 'no'] } }) }, rules);

test('asks for the case in which the customer does not agree', () => {
  expect(find({ days: '0..9' }, consent, paid)).toMatchObject([{ name: 'R1' }]);
});

test('is content where another rule decides it, and where the world alone would show it not', () => {
  const refused = rule('R3', 'A no is a no.', {
    applies_to: ['issue_refund'],
    when: { answer: 'refused' },
    demands: { paid: 'no' },
  });
  expect(find({ answer: ['agreed', 'refused'] }, consent, paid, refused)).toEqual([]);
  const known = { answer: { values: ['agreed', 'refused'], from: { at: '/answer' } } };
  expect(find(known, consent, paid, refused)).toMatchObject([{ name: 'R1' }]);
});
