import { expect, test } from 'vitest';
import { findUnguarded } from '../../../../src/gate/rules/gaps/find-unguarded.ts';
import { Cases } from '../../../../src/scenario/cases/cases.ts';
import { formatOf, rule } from '../../../support/designs.ts';

const consent = rule('R1', 'Ask first.', { applies_to: ['issue_refund'], when: 'all', demands: 'words' });
const paid = rule('R2', 'Pay.', { applies_to: ['issue_refund'], when: 'all', demands: { paid: 'yes' } });
const find = (attributes: object, ...rules: Parameters<typeof findUnguarded>[1]) =>
  findUnguarded({ ...formatOf(), cases: Cases.parse({ attributes, outcomes: { paid: ['yes', 'no'] } }) }, rules);

test('takes what is asked for by its acts, in whatever language acts and values are named', () => {
  const tools = ['issue_refund', 'log_case'].map((name) => ({ name, purpose: name, changes_world: true }));
  const asked = { ...consent, applies_to: ['issue_refund', 'log_case'] };
  const acts = [
    rule('R2', 'Pay.', { applies_to: ['issue_refund'], when: { wunsch: 'geld' }, demands: { paid: 'yes' } }),
    rule('R3', 'Log.', { applies_to: ['log_case'], when: { wunsch: 'vermerk' }, demands: { paid: 'no' } }),
  ];
  const cases = Cases.parse({ attributes: { wunsch: ['geld', 'vermerk'] }, outcomes: { paid: ['yes', 'no'] } });
  expect(findUnguarded({ ...formatOf(), tools, cases }, [asked, ...acts])).toMatchObject([{ name: 'R1' }]);
});

test('takes a fact about one act of several for no refusal, and two requests for one act for requests', () => {
  const tools = ['verlaengere', 'buche'].map((name) => ({ name, purpose: name, changes_world: true }));
  const asked = { ...consent, applies_to: ['verlaengere', 'buche'] };
  const line = (id: string, act: string, when: Record<string, string | boolean | string[]>, paid: string) =>
    rule(id, id, { applies_to: [act], when, demands: { paid } });
  const attributes = { anliegen: ['frist', 'zahlen', 'verlust'], vorgemerkt: [true, false], angaben: ['ja', 'nein'] };
  const cases = Cases.parse({ attributes, outcomes: { paid: ['yes', 'no'] } });
  const rules = [
    asked,
    line('R2', 'verlaengere', { anliegen: 'frist', vorgemerkt: true }, 'no'),
    line('R3', 'buche', { anliegen: ['zahlen', 'verlust'] }, 'yes'),
  ];
  expect(findUnguarded({ ...formatOf(), tools, cases }, rules)).toMatchObject([{ name: 'R1' }]);
  const refused = rule('R4', 'No.', {
    applies_to: asked.applies_to,
    when: { angaben: 'nein' },
    demands: { paid: 'no' },
  });
  expect(findUnguarded({ ...formatOf(), tools, cases }, [...rules, refused])).toEqual([]);
});

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

test('takes for no refusal what is asked for by several acts, nor a fact that only changes how acts are done', () => {
  const tools = ['move', 'cancel', 'charge'].map((name) => ({ name, purpose: name, changes_world: true }));
  const asked = { ...consent, applies_to: tools.map(({ name }) => name) };
  const cases = Cases.parse({
    attributes: { wish: ['move', 'cancel'], late: [true, false] },
    outcomes: { stay: ['moved', 'cancelled', 'kept'], fee: ['yes', 'no'] },
  });
  const line = (id: string, applies_to: string[], when: Record<string, string | boolean>, demands: object) =>
    rule(id, id, { applies_to, when, demands: { ...demands } });
  const rules = [
    asked,
    line('R2', ['move'], { wish: 'move', late: false }, { stay: 'moved', fee: 'no' }),
    line('R3', ['move', 'charge'], { wish: 'move', late: true }, { stay: 'moved', fee: 'yes' }),
    line('R4', ['cancel', 'charge'], { wish: 'cancel', late: true }, { stay: 'cancelled', fee: 'yes' }),
    line('R5', ['cancel'], { wish: 'cancel', late: false }, { stay: 'cancelled', fee: 'no' }),
  ];
  expect(findUnguarded({ ...formatOf(), tools, cases }, rules)).toMatchObject([{ name: 'R1' }]);
});
