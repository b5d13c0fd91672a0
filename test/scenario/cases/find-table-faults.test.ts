/** Five sound designs, and forty ways to break them: each is found, and nothing else is. */
import { describe, expect, test } from 'vitest';
import { caseProblems } from '../../../src/scenario/cases/case-problems.ts';
import { buildTable } from '../../../src/scenario/cases/case-table.ts';
import { Cases, type CaseRule } from '../../../src/scenario/cases/cases.ts';
import { findTableFaults, type CaseFinding } from '../../../src/scenario/cases/find-table-faults.ts';
import { DESIGNS, SEEDS, seeded, type Sound } from './seeded-designs.ts';

function find({ cases, rules }: Sound): CaseFinding[] {
  const parsed = Cases.parse(cases);
  expect(caseProblems(parsed, rules)).toEqual([]);
  return findTableFaults(buildTable(parsed, rules));
}

test.each(Object.keys(DESIGNS))('finds nothing in %s', (name) => {
  expect(find(seeded(name))).toEqual([]);
});

test('there are forty seeded faults', () => {
  expect(SEEDS).toHaveLength(40);
});

test.each(SEEDS)('$design: $what', ({ design, edit, expected }) => {
  const found = find(seeded(design, edit)).filter(({ kind }) => kind !== 'subsumed');
  expect(found.map(({ kind, rules, outcome }) => [kind, ...rules, outcome].join(' '))).toEqual([expected]);
  expect(found[0]?.example).toBeDefined();
});

const REFUND = {
  cases: Cases.parse({
    attributes: {
      reason: ['not_wanted', 'damaged', 'wrong_item'],
      paid_with: ['card', 'gift_card'],
      days_since: { values: '0..120', means: 'days since delivery' },
    },
    outcomes: { refund_to: { values: ['card', 'gift_card'], means: 'where the money goes' } },
  }),
  r7: { id: 'R7', when: { reason: ['damaged', 'wrong_item'] }, demands: { refund_to: 'card' } },
  r8: {
    id: 'R8',
    when: { paid_with: 'gift_card' },
    demands: { refund_to: 'gift_card' },
    also: [{ when: { paid_with: 'card' }, demands: { refund_to: 'card' } }],
  },
};
const search = (...rules: CaseRule[]) => findTableFaults(buildTable(REFUND.cases, rules));

test('says a conflict as one concrete case in words', () => {
  expect(search(REFUND.r7, REFUND.r8)).toEqual([
    {
      kind: 'conflict',
      rules: ['R7', 'R8'],
      outcome: 'refund_to',
      example: { reason: 'damaged', paid_with: 'gift_card', days_since: 120 },
      text: 'When “reason” is damaged or wrong item and “paid with” is gift card, the rules disagree about where the money goes: R7 demands card, R8 demands gift card, and neither goes first.',
    },
  ]);
});

test('an order settles it, also by way of a third rule', () => {
  expect(search({ ...REFUND.r7, over: ['R8'] }, REFUND.r8)).toEqual([]);
  const between: CaseRule = { id: 'R9', when: { days_since: '..3' }, demands: { refund_to: 'card' }, over: ['R8'] };
  expect(search({ ...REFUND.r7, over: ['R9'] }, REFUND.r8, between)).toEqual([]);
});

describe('a gap', () => {
  test('stands at the boundary that a rule draws', () => {
    const found = search(
      { id: 'R1', when: { days_since: '..30' }, demands: { refund_to: 'card' } },
      { id: 'R2', when: { days_since: '32..' }, demands: { refund_to: 'card' } },
    );
    expect(found).toMatchObject([
      {
        kind: 'gap',
        text: 'When “days since delivery” is 31, no rule decides where the money goes.',
        example: { days_since: 31 },
      },
    ]);
  });
});

describe('a rule that says nothing of its own', () => {
  test('repeats another one', () => {
    const narrow: CaseRule = {
      id: 'R9',
      when: { paid_with: 'card', reason: 'damaged' },
      demands: { refund_to: 'card' },
    };
    expect(search(REFUND.r8, narrow)).toMatchObject([
      { kind: 'subsumed', rules: ['R9', 'R8'], text: 'R9 demands nothing that R8 does not demand.' },
    ]);
  });

  test('is none where it goes before another', () => {
    const exception: CaseRule = { ...REFUND.r7, id: 'R9', over: ['R8'] };
    expect(search(REFUND.r8, exception)).toEqual([]);
  });
});

test('rules about words alone, and attributes of different requests, are no conflict and no repetition', () => {
  const cases = Cases.parse({
    attributes: {
      request: ['refund', 'exchange'],
      reason: { values: ['not_wanted', 'damaged'], when: { request: 'refund' } },
    },
    outcomes: { allowed: ['yes', 'no'] },
  });
  const table = buildTable(cases, [
    { id: 'R1', when: { reason: ['not_wanted', 'damaged'] }, demands: { allowed: 'yes' } },
    { id: 'R2', when: { request: 'exchange' }, demands: { allowed: 'no' } },
    { id: 'R3', demands: 'words' },
    { id: 'R4', when: { request: 'refund' }, demands: 'words' },
  ]);
  expect(findTableFaults(table)).toEqual([]);
  expect(table.unread).toEqual(['R3', 'R4']);
});
