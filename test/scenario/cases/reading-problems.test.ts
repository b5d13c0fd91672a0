import { expect, test } from 'vitest';
import { caseProblems } from '../../../src/scenario/cases/case-problems.ts';
import { Cases, type CaseRule } from '../../../src/scenario/cases/cases.ts';
import { readingProblems } from '../../../src/scenario/cases/reading-problems.ts';
import { LENDING_CASES, LENDING_RULES, LENDING_WORLD_SCHEMA } from './lending.ts';

const TOOLS = [{ name: 'read_loan', purpose: 'reads', changes_world: false }];

function problemsOf(change: { outcomes?: object; frames?: unknown; names?: object }, rules: CaseRule[] = LENDING_RULES) {
  const cases = Cases.parse({ ...LENDING_CASES, ...change, outcomes: { ...LENDING_CASES.outcomes, ...change.outcomes } });
  expect(caseProblems(cases, rules)).toEqual([]);
  return readingProblems({ world: LENDING_WORLD_SCHEMA, tools: TOOLS, cases }, rules);
}

const fee = (from: object) => ({ outcomes: { late_fee: { ...LENDING_CASES.outcomes.late_fee, from } } });

test('sound readings have none, and neither has a design without readings', () => {
  expect(problemsOf({})).toEqual([]);
  const plain = Cases.parse({ attributes: { kind: ['a', 'b'] }, outcomes: { state: ['back', 'kept'] } });
  expect(readingProblems({ world: LENDING_WORLD_SCHEMA, tools: TOOLS, cases: plain }, [])).toEqual([]);
});

test('places and fields are those of the world, constants of their kind', () => {
  expect(problemsOf(fee({ added: '/charge', sum: 'cents' }))).toEqual([
    'cases: late_fee: /charge: its way has no charge; it has members, loans, charges, notes.',
  ]);
  expect(problemsOf(fee({ added: '/charges', sum: 'amount' }))).toEqual([
    'cases: late_fee: an entry of /charges has no amount; it has member, cents.',
  ]);
  expect(problemsOf(fee({ added: '/charges', where: { cents: 'many' }, sum: 'cents' }))).toEqual([
    'cases: late_fee: where: cents of an entry of /charges is never "many".',
  ]);
  expect(problemsOf(fee({ added: '/charges', sum: 'member' }))).toEqual([
    'cases: late_fee: sum: member of an entry of /charges is no number.',
  ]);
  expect(problemsOf(fee({ added: '/notes', sum: 'cents' }))[0]).toContain('read as the field value');
});

test('lists and maps are added to, records are changed', () => {
  expect(problemsOf(fee({ added: '/loans/{loan}', sum: 'cents' }))[0]).toContain('use changed or at');
  expect(problemsOf(fee({ changed: '/loans', sum: 'cents' }))[0]).toContain('name its entries, /loans/*');
});

test('tools and names are declared', () => {
  const looked = (from: object) => ({ outcomes: { looked_up: { ...LENDING_CASES.outcomes.looked_up, from } } });
  expect(problemsOf(looked({ calls: 'look', before: 'pay' }))).toEqual([
    'cases: looked_up: look is no tool of format_spec.yaml.',
    'cases: looked_up: pay is no tool of format_spec.yaml.',
  ]);
  expect(problemsOf({ names: {} })).toEqual(
    expect.arrayContaining([expect.stringContaining('{loan} is no attribute and no declared name')]),
  );
});

test('values that no trial could tell apart, or that the place never holds, are refused', () => {
  const state = (as: object) => ({ outcomes: { state: { ...LENDING_CASES.outcomes.state, as } } });
  expect(problemsOf(state({ back: 'back', kept: 'back' }))).toEqual([
    'cases: state: as: kept is read like another value, so no trial could tell them apart.',
  ]);
  expect(problemsOf(state({ back: 'home', kept: 'out' }))[0]).toContain('/loans/{loan}/state is never home');
  expect(problemsOf(state({ gone: 'out', kept: 'out' }))[0]).toContain('gone is none of its values');
  const looked = { outcomes: { looked_up: { ...LENDING_CASES.outcomes.looked_up, as: { once: 'often' } } } };
  expect(problemsOf(looked)[0]).toContain('it is read as a number, and once is none');
});

test('where one outcome is read all are, and every case has a frame', () => {
  expect(problemsOf({ outcomes: { told: ['amount'] } })).toEqual([
    'cases: told, which R3 demands, is read nowhere, and other outcomes are; say from where it is read, or from: words where only the conversation shows it.',
  ]);
  expect(problemsOf({ frames: [] })[0]).toContain('there are no frames');
  expect(problemsOf({ frames: [LENDING_CASES.frames[0]] })[0]).toContain('no frame for request: ask');
});

test('a demanded number is arithmetic over attributes that are numbers', () => {
  const cases = Cases.parse(LENDING_CASES);
  const demand = (late_fee: string) => caseProblems(cases, [{ id: 'R1', when: 'all', demands: { late_fee } }]);
  expect(demand('200 * days')).toEqual(['R1: late_fee: "200 * days" uses days, which is no attribute of cases.']);
  expect(demand('200 * kind')).toEqual(['R1: late_fee: "200 * kind" counts with kind, which is no number.']);
  expect(demand('if(kind, 1, 2)')[0]).toContain('a condition belongs in when');
});
