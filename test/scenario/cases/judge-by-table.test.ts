import { expect, test } from 'vitest';
import { Cases } from '../../../src/scenario/cases/cases.ts';
import { createOracle } from '../../../src/scenario/cases/judge-by-table.ts';
import { LENDING, LENDING_CASES, LENDING_RULES } from './lending.ts';

const BEFORE = {
  members: { M1: { kind: 'member' }, M2: { kind: 'patron' } },
  loans: { L1: { state: 'out' } },
  charges: [] as unknown[],
  notes: [] as string[],
};
const oracle = createOracle(LENDING, LENDING_RULES);
const READ = [{ tool: 'read_loan', input: {}, output: {} }];

function judge(after: object, stated: object = {}, calls = READ): string[] {
  const said = { case: { request: 'return', days_late: 4 }, case_of: { member: 'M1', loan: 'L1' }, ...stated };
  const verdicts = oracle?.(said, { before: BEFORE, after: { ...BEFORE, ...after }, calls }) ?? [];
  return verdicts.map(({ says, text }) => `${says}: ${text}`);
}

const BACK = { loans: { L1: { state: 'back' } } };
const charge = (cents: number) => ({ ...BACK, charges: [{ member: 'M1', cents }] });

test('each demand is met or not, in one sentence with what was demanded and what was read', () => {
  expect(judge(charge(800))).toEqual([
    'met: R1 demands late fee: 800 (min(200 * days_late, 3000) = min(200 * 4, 3000)); read: 800',
    'met: R1 demands state: back; read: "back"',
    'met: R3 demands looked up: once (at least 1); read: 1',
    'nothing: R3 demands told: amount, which the table does not read',
    'met: only what this request may change was changed',
  ]);
  expect(judge(charge(1000))[0]).toBe(
    'not met: R1 demands late fee: 800 (min(200 * days_late, 3000) = min(200 * 4, 3000)); read: 1000',
  );
  expect(judge(charge(800), {}, []).find((line) => line.includes('looked up'))).toMatch(/^not met/);
});

test('a rule that goes first overrules the other in its outcome alone', () => {
  const lines = judge({ ...BACK, charges: [] }, { case_of: { member: 'M2', loan: 'L1' } });
  expect(lines.filter((line) => line.includes('late fee'))).toEqual(['met: R2 demands late fee: 0; read: 0']);
  expect(lines).toContain('met: R1 demands state: back; read: "back"');
});

test('a frame is broken by any other change, and holds for its own cases alone', () => {
  expect(judge({ ...charge(800), notes: ['x'] }).at(-1)).toBe(
    'not met: this request may not change /notes/0, and it was changed',
  );
  const asked = judge(charge(800), { case: { request: 'ask' } });
  expect(asked.at(-1)).toMatch(/^not met: this request may not change/);
  expect(asked).toContain('not met: R1 demands state: kept ("out", as at /loans/L1/state); read: "back"');
});

test('a case that the sample does not tell, or tells wrongly, is not judged', () => {
  expect(judge(charge(800), { case: { request: 'return', days_late: 99 } })).toEqual([]);
  const unnamed = judge(charge(800), { case: { request: 'return', kind: 'member' }, case_of: {} });
  expect(unnamed[0]).toContain('its sample names no member under case_of');
});

test('a field is judged where there is an entry, and says nothing where there is none', () => {
  const cases = Cases.parse({
    attributes: { request: ['return', 'ask'] },
    outcomes: { paid_to: { values: ['card', 'cash'], from: { added: '/charges', field: 'to' } } },
  });
  const field = createOracle(cases, [{ id: 'R1', when: 'all', demands: { paid_to: 'card' } }]);
  const trial = (charges: unknown[]) => ({ before: BEFORE, after: { ...BEFORE, charges }, calls: [] });
  const said = { case: { request: 'return' } };
  const verdicts = [[], [{ to: 'card' }], [{ to: 'card' }, { to: 'cash' }]].map(
    (all) => field?.(said, trial(all))[0]?.says,
  );
  expect(verdicts).toEqual(['nothing', 'met', 'not met']);
});

test('where two rules demand different things and neither goes first, the table demands neither', () => {
  const cases = Cases.parse({
    attributes: { request: ['return', 'ask'] },
    outcomes: { paid_to: { values: ['card', 'cash', 'both'], from: { added: '/charges', field: 'to' } } },
  });
  const rules = (over: string[]) => [
    { id: 'R1', when: 'all' as const, demands: { paid_to: 'card' }, over },
    { id: 'R2', when: { request: 'return' }, demands: { paid_to: ['cash', 'both'] } },
    { id: 'R3', when: { request: 'ask' }, demands: { paid_to: ['card', 'cash'] } },
  ];
  const trial = { before: BEFORE, after: { ...BEFORE, charges: [{ to: 'card' }] }, calls: [] };
  const judged = (request: string, over: string[] = []) =>
    createOracle(cases, rules(over))?.({ case: { request } }, trial).map(({ says, text }) => `${says}: ${text}`);
  expect(judged('return')).toEqual([
    'nothing: R1 demands paid to: card, and R2 demands cash or both: neither goes first',
    'nothing: R2 demands paid to: cash or both, and R1 demands card: neither goes first',
  ]);
  expect(judged('return', ['R2'])).toEqual(['met: R1 demands paid to: card; read: "card"']);
  expect(judged('ask')?.map((line) => line.split(':')[0])).toEqual(['met', 'met']);
});

test('a design that reads nothing has no oracle', () => {
  const outcomes = { state: ['back', 'kept'] };
  expect(createOracle(Cases.parse({ attributes: LENDING_CASES.attributes, outcomes }), [])).toBeUndefined();
  expect(createOracle(undefined, [])).toBeUndefined();
});
