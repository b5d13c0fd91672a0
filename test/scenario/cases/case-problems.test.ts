import { expect, test } from 'vitest';
import { caseProblems } from '../../../src/scenario/cases/case-problems.ts';
import { Cases, type CaseRule } from '../../../src/scenario/cases/cases.ts';

const CASES = Cases.parse({
  attributes: { reason: ['not_wanted', 'damaged'], days_since: '0..120' },
  outcomes: { refund_to: ['card', 'gift_card'] },
});
const of = (...rules: CaseRule[]) => caseProblems(CASES, rules);
const FINE: CaseRule = { id: 'R1', when: 'all', demands: { refund_to: 'card' } };

test('a sound table has none, and neither has a design without cases', () => {
  expect(of(FINE)).toEqual([]);
  expect(caseProblems(undefined, [{ id: 'R1' }])).toEqual([]);
});

test('every rule says of which cases it speaks', () => {
  expect(of({ id: 'R1' })).toEqual([
    'R1 has no when: say of which cases it speaks, or when: all; and no demands: say what must come of it, or demands: words, which needs no when, where it is about words alone.',
  ]);
  expect(of({ id: 'R1', demands: 'words' })).toEqual([]);
  expect(of({ id: 'R1', when: 'all' })).toEqual([
    'R1 has no demands: say what must come of it, or demands: words, which needs no when, where it is about words alone.',
  ]);
  expect(caseProblems(undefined, [FINE])).toEqual([
    'R1 has when and demands, but format_spec.yaml has no cases that name its attributes and outcomes.',
  ]);
});

test('names and values are those of cases', () => {
  expect(
    of({ id: 'R1', when: { reson: 'damaged', days_since: '130..' }, demands: { refund_to: 'bank', fee: 3 } }),
  ).toEqual([
    'R1: reson is no attribute of cases.',
    'R1: days_since is never 130..; cases give it 0..120.',
    'R1: refund_to cannot be bank; cases give it card, gift_card.',
    'R1: fee is no outcome of cases.',
  ]);
});

test('an order is one', () => {
  expect(of({ ...FINE, over: ['R1', 'R7'] })).toEqual([
    'R1: over names the rule itself.',
    'R1: over names R7, which does not exist.',
  ]);
  expect(of({ ...FINE, over: ['R2'] }, { ...FINE, id: 'R2', over: ['R1'] })).toEqual([
    'R1 goes before itself by way of over: no order follows from a circle.',
    'R2 goes before itself by way of over: no order follows from a circle.',
  ]);
});

test('an attribute is cut into no more parts than can be searched', () => {
  const rules = Array.from({ length: 31 }, (_, index) => ({
    ...FINE,
    id: `R${index + 1}`,
    when: { days_since: index * 2 },
  }));
  expect(of(...rules)).toEqual(['cases: days_since is cut into 62 parts by the rules; at most 30.']);
});

test('attributes have at least two values, each once, and a usual one among them', () => {
  const problemsOf = (attributes: Record<string, unknown>) =>
    caseProblems(Cases.parse({ attributes, outcomes: { refund_to: ['card', 'gift_card'] } }), [FINE]);
  expect(problemsOf({ days: '5..5', back: '9..3', fine: '-5..5' })).toEqual([
    'cases: days: 5..5 holds no two numbers.',
    'cases: back: 9..3 holds no two numbers.',
  ]);
  expect(problemsOf({ reason: ['late', 'damaged', 'late'] })).toEqual(['cases: reason lists a value twice.']);
  expect(
    problemsOf({ paid: { values: ['card', 'cash'], usual: 'cheque' }, days: { values: '0..9', usual: 10 } }),
  ).toEqual([
    'cases: paid: its usual value cheque is not one of its values.',
    'cases: days: its usual value 10 is not one of its values.',
  ]);
  expect(problemsOf({ paid: { values: ['card', 'cash'], usual: 'cash' }, days: { values: '0..9', usual: 9 } })).toEqual(
    [],
  );
});

test('conditions of attributes, outcomes and impossible cases are held to the same names and values', () => {
  const cases = Cases.parse({
    attributes: { days: '0..120', size: { values: ['s', 'l'], when: { dayz: 1 } } },
    outcomes: { fee: { values: ['yes', 'no'], when: { size: 'xl' } } },
    impossible: [{ days: '121..' }, { days: '..-1' }, { days: '120..' }, { days: '..0' }, { days: '9..3' }],
  });
  expect(caseProblems(cases, [{ id: 'R1', when: 'all', demands: { fee: 'no' } }])).toEqual([
    'attribute size: dayz is no attribute of cases.',
    'outcome fee: size is never xl; cases give it s, l.',
    'impossible: days is never 121..; cases give it 0..120.',
    'impossible: days is never ..-1; cases give it 0..120.',
    'impossible: days is never 9..3; cases give it 0..120.',
  ]);
});

test('thirty parts can still be searched', () => {
  const rules = Array.from({ length: 29 }, (_, index) => ({
    ...FINE,
    id: `R${index + 1}`,
    when: { days_since: `..${index}` },
  }));
  expect(of(...rules)).toEqual([]);
  expect(of(...rules, { ...FINE, id: 'R30', when: { days_since: '..29' } })).toHaveLength(1);
});
