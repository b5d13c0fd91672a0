import { expect, test } from 'vitest';
import { possibleContradictions } from '../../../src/gate/rules/contradictions.ts';
import { rule } from '../../support/designs.ts';

const ALWAYS = rule('R4', 'Always refund a damaged order.', { applies_to: ['issue_refund'] });
const NEVER = rule('R8', 'Never refund a damaged order late.', { applies_to: ['lookup_order', 'issue_refund'] });

test('pairs an absolute yes with an absolute no about the same tool and matter, in either order', () => {
  expect(possibleContradictions([ALWAYS, NEVER])).toEqual([
    { one: 'R4', other: 'R8', tool: 'issue_refund', words: ['always', 'never'] },
  ]);
  expect(possibleContradictions([NEVER, ALWAYS])).toEqual([
    { one: 'R8', other: 'R4', tool: 'issue_refund', words: ['never', 'always'] },
  ]);
});

test.each([
  ['another tool', { ...NEVER, applies_to: ['lookup_order'] }],
  ['another matter', { ...NEVER, text: 'Never disclose a password.' }],
  ['no must', { ...NEVER, severity: 'should' as const }],
  ['no absolute word', { ...NEVER, text: 'Refund a damaged order late, if asked.' }],
])('leaves a pair alone: %s', (_why, other) => {
  expect(possibleContradictions([ALWAYS, other])).toEqual([]);
});

test('does not take a part of a word for the word', () => {
  const part = rule('R9', 'Nevertheless anything about a damaged refund order is noted.', {
    applies_to: ['issue_refund'],
  });
  expect(possibleContradictions([ALWAYS, part])).toEqual([]);
});

test('compares two thousand rules in little time', () => {
  const many = Array.from({ length: 2000 }, (_, index) => ({ ...ALWAYS, id: `R${index + 1}` }));
  expect(possibleContradictions(many)).toEqual([]);
});
