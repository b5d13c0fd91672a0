import { expect, test } from 'vitest';
import { coverCases } from '../../../src/scenario/cases/case-coverage.ts';
import { buildTable } from '../../../src/scenario/cases/case-table.ts';
import { Cases } from '../../../src/scenario/cases/cases.ts';

const CASES = Cases.parse({
  attributes: {
    reason: ['not_wanted', 'damaged'],
    paid_with: ['card', 'gift_card'],
    days_since: '0..120',
    colour: ['red', 'blue'],
  },
  outcomes: { taken_back: ['yes', 'no'], refund_to: ['card', 'gift_card'] },
  impossible: [{ reason: 'damaged', paid_with: 'gift_card' }],
});
const TABLE = buildTable(CASES, [
  { id: 'R1', when: { reason: 'not_wanted', days_since: '..30' }, demands: { taken_back: 'yes' } },
  { id: 'R2', when: { days_since: '31..' }, demands: { taken_back: 'no' } },
  { id: 'R3', when: { reason: 'damaged', paid_with: 'card' }, demands: { refund_to: 'card' } },
]);
const sample = (id: string, days: number) => ({
  sample: id,
  known: { reason: 'not_wanted', paid_with: 'card', days_since: days, colour: 'red' },
});

test('counts rules, both sides of a boundary, and pairs that some rules read together', () => {
  expect(coverCases(TABLE, [sample('in-time', 30), sample('late', 90)])).toEqual({
    rules: { R1: ['in-time'], R2: ['late'], R3: [] },
    // A colour decides nothing, and damaged goods on a gift card do not occur.
    pairs: { reached: 3, total: 7 },
    missingPairs: [
      'reason: not wanted, paid with: gift card',
      'reason: damaged, paid with: card',
      'reason: damaged, days since: 0 to 30',
      'reason: damaged, days since: 31 to 120',
    ],
    boundaries: { reached: 1, total: 2 },
    missingBoundaries: ['days since: 31'],
  });
});

test('a sample without a case reaches nothing', () => {
  const none = coverCases(TABLE, [{ sample: 'x', known: {} }]);
  expect(none).toMatchObject({ pairs: { reached: 0 }, boundaries: { reached: 0 }, rules: { R2: [] } });
});

/** A desk with two requests, each with attributes of its own, and one outcome for both. */
const desk = (more: object) =>
  Cases.parse({
    attributes: {
      request: ['refund', 'exchange'],
      reason: { values: ['not_wanted', 'damaged'], ...more },
      stock: { values: '0..9', ...(Object.keys(more).length === 0 ? {} : { when: { request: 'exchange' } }) },
    },
    outcomes: { allowed: ['yes', 'no'] },
  });
const DESK_RULES = [
  { id: 'R1', when: { request: 'refund', reason: 'damaged' }, demands: { allowed: 'yes' } },
  { id: 'R2', when: { request: 'refund', reason: 'not_wanted' }, demands: { allowed: 'no' } },
  { id: 'R3', when: { request: 'exchange', stock: '1..' }, demands: { allowed: 'yes' } },
  { id: 'R4', when: { request: 'exchange', stock: '0' }, demands: { allowed: 'no' } },
];

test('what is read of one request is never paired with what is read of another', () => {
  const { missingPairs } = coverCases(buildTable(desk({}), DESK_RULES), []);
  expect(missingPairs.filter((pair) => pair.includes('reason') && pair.includes('stock'))).toEqual([]);
});

test('an attribute that only some cases have is demanded in these alone', () => {
  const { missingPairs, missingBoundaries } = coverCases(
    buildTable(desk({ when: { request: 'refund' } }), DESK_RULES),
    [],
  );
  expect(missingPairs).toEqual([
    'request: refund, reason: not wanted',
    'request: refund, reason: damaged',
    'request: exchange, stock: 0',
    'request: exchange, stock: 1 to 9',
  ]);
  expect(missingBoundaries).toEqual(['stock: 0', 'stock: 1']);
});

test('a pair is no pair where a stronger rule decides without looking at one of the two', () => {
  const cases = Cases.parse({
    attributes: { verified: ['yes', 'no'], reason: ['not_wanted', 'damaged'] },
    outcomes: { taken_back: ['yes', 'no'] },
  });
  const rules = (over: string[]) => [
    { id: 'R1', when: { verified: 'no' }, demands: { taken_back: 'no' }, over },
    { id: 'R2', when: { reason: 'damaged' }, demands: { taken_back: 'yes' } },
    { id: 'R3', when: { reason: 'not_wanted' }, demands: { taken_back: 'no' } },
  ];
  const missing = (over: string[]) => coverCases(buildTable(cases, rules(over)), []).missingPairs;
  expect(missing([])).toHaveLength(4);
  expect(missing(['R2', 'R3'])).toEqual(['verified: yes, reason: not wanted', 'verified: yes, reason: damaged']);
});

test('a sample is in every rule and pair that does not look at what its case has not', () => {
  const table = buildTable(desk({ when: { request: 'refund' } }), DESK_RULES);
  const refund = { sample: 'refund', known: { request: 'refund', reason: 'damaged' } };
  const { rules, pairs, missingPairs } = coverCases(table, [refund]);
  expect(rules).toEqual({ R1: ['refund'], R2: [], R3: [], R4: [] });
  expect([pairs, missingPairs.includes('request: refund, reason: damaged')]).toEqual([{ reached: 1, total: 4 }, false]);
});

test('a boundary that no possible case has is none to be reached', () => {
  const cases = Cases.parse({
    attributes: { days_since: '0..120', kind: ['goods', 'voucher'] },
    outcomes: { taken_back: ['yes', 'no'] },
    impossible: [{ days_since: '91..' }],
  });
  const table = buildTable(cases, [
    { id: 'R1', when: { days_since: '..30' }, demands: { taken_back: 'yes' } },
    { id: 'R2', when: { days_since: '31..' }, demands: { taken_back: 'no' } },
  ]);
  expect(coverCases(table, [{ sample: 'a', known: { days_since: 31 } }])).toMatchObject({
    boundaries: { reached: 1, total: 3 },
    missingBoundaries: ['days since: 30', 'days since: 90'],
  });
});

test('sixty of what is missing are listed, and all of it is counted', () => {
  const values = Array.from({ length: 9 }, (_, at) => `v${at}`);
  const cases = Cases.parse({ attributes: { one: values, two: values }, outcomes: { fee: ['yes', 'no'] } });
  const rules = values.map((one, at) => ({ id: `R${at}`, when: { one, two: one }, demands: { fee: 'yes' } }));
  const all = coverCases(buildTable(cases, rules), []);
  expect([all.pairs.total, all.missingPairs.length]).toEqual([81, 60]);
});

test('an attribute that depends on another one depends on what that one depends on', () => {
  const booking = Cases.parse({
    attributes: {
      request: ['book', 'move'],
      notice_hours: { values: '0..200', when: { cargo: 'dangerous' } },
      cargo: { values: ['ordinary', 'dangerous'], when: { request: 'book' } },
    },
    outcomes: { booked: { values: ['yes', 'no'], when: { request: 'book' } }, moved: ['yes'] },
  });
  const table = buildTable(booking, [
    { id: 'R1', when: { cargo: 'dangerous', notice_hours: '..23' }, demands: { booked: 'no' } },
    { id: 'R2', when: { request: 'move' }, demands: { moved: 'yes' } },
    { id: 'R3', when: { request: 'book', notice_hours: '24..' }, demands: { booked: 'yes' } },
  ]);
  const { missingPairs, missingBoundaries } = coverCases(table, []);
  expect(missingPairs.filter((pair) => pair.includes('move'))).toEqual([]);
  expect(missingPairs).toContain('request: book, notice hours: 24 to 200');
  expect(missingBoundaries).toEqual(['notice hours: 23', 'notice hours: 24']);
});
