import { expect, test } from 'vitest';
import { Cases } from '../../../src/scenario/cases/cases.ts';
import { resolveCase, deriveValue } from '../../../src/scenario/cases/sample-case.ts';

const CASES = Cases.parse({
  attributes: {
    reason: ['not_wanted', 'damaged'],
    channel: { values: ['chat', 'mail'], usual: 'chat' },
    paid_with: { values: ['card', 'gift_card'], from: { at: '/orders/{order}/paid_with' } },
    items: { values: '1..9', from: { count: '/orders/{order}/items' } },
    days_since: { values: '0..120', from: { days: ['/orders/{order}/delivered_on', '/today'] } },
  },
  outcomes: { refund_to: ['card', 'gift_card'] },
});
const WORLD = {
  today: '2026-03-01',
  orders: { 'A/1': { paid_with: 'gift_card', items: [{}, {}], delivered_on: '2026-01-30' } },
};
const OF = { order: 'A/1' };

test('is stated, derived from the start world, or as usual', () => {
  expect(resolveCase({ case: { reason: 'damaged' }, case_of: OF }, WORLD, CASES)).toEqual({
    known: { reason: 'damaged', channel: 'chat', paid_with: 'gift_card', items: 2, days_since: 30 },
    faults: [],
  });
});

test.each([
  ['2026-01-30', '2026-03-01', 30],
  ['2026-03-28T23:30:00+01:00', '2026-03-30T00:10:00+02:00', 2],
  ['2026-03-01 09:00', '2026-03-01', 0],
  // A reader of the first ten characters takes both of them for the same year.
  ['Nov 24, 2025', 'Nov 24, 2026', undefined],
  ['11/12/2026', '12/12/2026', undefined],
  ['2026-1-30', '2026-3-1', undefined],
  ['2026-02-40', '2026-03-01', undefined],
  [20260130, '2026-03-01', undefined],
  [null, '2026-03-01', undefined],
])('between %s and %s are %s days', (start, end, days) => {
  const from = { days: ['/start', '/end'] as [string, string] };
  expect(deriveValue(from, {}, { start, end })).toBe(days);
});

test('must be true of the start world', () => {
  const stated = { case: { reason: 'damaged', paid_with: 'card', days_since: 31 }, case_of: OF };
  expect(resolveCase(stated, WORLD, CASES).faults).toEqual([
    'case: paid_with is card, but its start world shows gift_card',
    'case: days_since is 31, but its start world shows 30',
  ]);
});

test('names what is missing, unknown or no single value', () => {
  expect(resolveCase({ case: { colour: 'red', days_since: '..30' } }, WORLD, CASES).faults).toEqual([
    'case: colour is no attribute of format_spec.yaml',
    'case: reason is not stated',
    'case: paid_with is not stated, and its start world does not show it, name order under case_of',
    'case: items is not stated, and its start world does not show it, name order under case_of',
    'case: days_since cannot be ..30',
  ]);
});

test('a world that shows a value which the design does not list is refused too', () => {
  const world = { ...WORLD, orders: { 'A/1': { ...WORLD.orders['A/1'], paid_with: 'cash' } } };
  expect(resolveCase({ case: { reason: 'damaged' }, case_of: OF }, world, CASES).faults).toEqual([
    'case: its start world shows paid_with cash, which format_spec.yaml does not list',
  ]);
});

test('an attribute that its case does not have is not asked for', () => {
  const cases = Cases.parse({
    attributes: {
      request: ['refund', 'exchange'],
      reason: { values: ['not_wanted', 'damaged'], when: { request: 'refund' } },
    },
    outcomes: { allowed: ['yes', 'no'] },
  });
  expect(resolveCase({ case: { request: 'exchange' } }, {}, cases)).toEqual({
    known: { request: 'exchange' },
    faults: [],
  });
  expect(resolveCase({ case: { request: 'refund' } }, {}, cases).faults).toEqual(['case: reason is not stated']);
});

test('asks first whether the case has the attribute: what the world shows of another is no fault', () => {
  const cases = Cases.parse({
    attributes: {
      kind: ['refund', 'address'],
      parcels: { values: '1..9', from: { count: '/parcels' }, when: { kind: 'refund' } },
    },
    outcomes: { done: [true] },
  });
  const faultsOf = (kind: string) => resolveCase({ case: { kind } }, { parcels: [] }, cases).faults;
  expect(faultsOf('address')).toEqual([]);
  expect(faultsOf('refund')).toEqual(['case: its start world shows parcels 0, which format_spec.yaml does not list']);
});
