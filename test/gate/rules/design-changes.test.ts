import { expect, test } from 'vitest';
import { ruleChanges } from '../../../src/gate/rules/design-changes.ts';
import { rule, rulesOf } from '../../support/designs.ts';

const BEFORE = rulesOf(rule('R1', 'Greet.'), rule('R4', 'Refund within 30 days.'), rule('R7', 'Be brief.'));

test('leaves out what did not change, whitespace included', () => {
  expect(
    ruleChanges(
      BEFORE,
      rulesOf(rule('R1', ' Greet.\n'), rule('R4', 'Refund within 30 days.'), rule('R7', 'Be brief.')),
      [],
    ),
  ).toEqual([]);
});

test('tells added, changed and removed rules apart, with the words before and after', () => {
  const now = rulesOf(
    rule('R1', 'Greet.'),
    rule('R4', 'Refund within 30 days of delivery.'),
    rule('R9', 'Partial refunds.'),
  );
  expect(ruleChanges(BEFORE, now, [])).toEqual([
    {
      kind: 'changed',
      id: 'R4',
      title: 'Title of R4',
      before: 'Refund within 30 days.',
      after: 'Refund within 30 days of delivery.',
      evidence: [],
    },
    { kind: 'added', id: 'R9', title: 'Title of R9', after: 'Partial refunds.', evidence: [] },
    { kind: 'removed', id: 'R7', title: 'Title of R7', before: 'Be brief.', evidence: [] },
  ]);
});

test('shows a change of severity, title or tools though the text is the same', () => {
  const now = rulesOf(rule('R1', 'Greet.', { severity: 'should', applies_to: ['b', 'a'] }), ...BEFORE.rules.slice(1));
  expect(ruleChanges(BEFORE, now, [])).toMatchObject([
    { id: 'R1', before: 'severity: must\napplies to: no tool', after: 'severity: should\napplies to: a, b' },
  ]);
});

test.each([
  ['source', { source: 'policies/a.md' }, { source: 'policies/b.md' }, 'policies/a.md', 'policies/b.md'],
  ['source', {}, { source: 'policies/b.md' }, 'none', 'policies/b.md'],
  ['quote', { quote: 'within 30 days' }, { quote: 'within 14 days' }, 'within 30 days', 'within 14 days'],
  ['quote', { quote: 'within 30 days' }, {}, 'within 30 days', 'none'],
  ['goes before', { over: ['R4'] }, { over: ['R4', 'R7'] }, 'R4', 'R4, R7'],
  ['goes before', {}, { over: ['R4'] }, 'none', 'R4'],
])('shows that the %s is another, from %j to %j', (part, was, is, before, after) => {
  const one = rulesOf(rule('R1', 'Greet.', was));
  expect(ruleChanges(one, rulesOf(rule('R1', 'Greet.', is)), [])).toMatchObject([
    { kind: 'changed', id: 'R1', before: `${part}: ${before}`, after: `${part}: ${after}` },
  ]);
});

test('of the table only the lines that were changed are shown, in words', () => {
  const late = { when: { days_late: '1..', scholar: false }, demands: { fee: '25 * days_late' } };
  const intime = { when: { days_late: '..0' }, demands: { fee: 0 } };
  const exempt = { when: { days_late: '1..', scholar: true }, demands: { fee: 0 } };
  const one = rulesOf(rule('R1', 'Fees.', { ...intime, also: [late] }));
  const two = rulesOf(rule('R1', 'Fees.', { ...intime, also: [late, exempt] }));
  const line = 'case: days late: 1 or more, scholar: yes → fee: 0';
  expect(ruleChanges(one, two, [])).toEqual([
    { kind: 'changed', id: 'R1', title: 'Title of R1', after: line, evidence: [] },
  ]);
  expect(ruleChanges(two, one, [])).toMatchObject([{ before: line }]);
  expect(
    ruleChanges(one, rulesOf(rule('R1', 'Fees.', { when: intime.when, demands: 'words', also: [late] })), []),
  ).toMatchObject([
    { before: 'case: days late: up to 0 → fee: 0', after: 'case: days late: up to 0 → judged by the words' },
  ]);
});

test('shows the words without the line break that YAML leaves at their end', () => {
  const block = rulesOf(rule('R1', 'Greet.\n', { title: 'Greeting\n' }));
  expect(ruleChanges(undefined, block, [])).toMatchObject([{ kind: 'added', after: 'Greet.' }]);
  expect(ruleChanges(block, { ...block, rules: [] }, [])).toMatchObject([{ kind: 'removed', before: 'Greet.' }]);
  expect(ruleChanges(rulesOf(rule('R1', 'Greet.', { title: 'Greeting' })), block, [])).toEqual([]);
});

test('sees no change in another order of tools', () => {
  const one = rulesOf(rule('R1', 'Greet.', { applies_to: ['a', 'b'] }));
  expect(ruleChanges(one, rulesOf(rule('R1', 'Greet.', { applies_to: ['b', 'a'] })), [])).toEqual([]);
});

test('carries the reason and the evidence that the agent gave for that rule', () => {
  const now = rulesOf(rule('R1', 'Greet.'), rule('R4', 'Refund within 14 days.'), rule('R7', 'Be brief.'));
  const claims = [
    { rule: 'R4', reason: 'samples disagree', evidence: ['late-return', 'gift'] },
    { rule: 'R4', reason: 'and the law', evidence: ['gift'] },
    { rule: 'R1', reason: 'a change that was not made', evidence: [] },
  ];
  expect(ruleChanges(BEFORE, now, claims)).toMatchObject([
    { id: 'R4', reason: 'samples disagree and the law', evidence: ['late-return', 'gift'] },
  ]);
});

test('adds every rule when there is no design to compare with', () => {
  expect(ruleChanges(undefined, BEFORE, []).map(({ kind, id }) => [kind, id])).toEqual([
    ['added', 'R1'],
    ['added', 'R4'],
    ['added', 'R7'],
  ]);
});

test('takes the first of two rules with one id', () => {
  const doubled = rulesOf(rule('R1', 'Greet.'), rule('R1', 'Do not greet.'));
  expect(ruleChanges(rulesOf(rule('R1', 'Greet.')), doubled, [])).toEqual([]);
});
