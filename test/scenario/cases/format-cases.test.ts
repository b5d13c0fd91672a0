/** Cases, conditions and demands in words, and the case that stands for many. */
import { expect, test } from 'vitest';
import { buildTable, toCellMask } from '../../../src/scenario/cases/case-table.ts';
import {
  formatBox,
  formatCase,
  demandsText,
  pickExample,
  valueText,
  whenText,
} from '../../../src/scenario/cases/format-cases.ts';
import { Cases } from '../../../src/scenario/cases/cases.ts';

const cases = Cases.parse({
  attributes: {
    days_since: { values: '0..120', means: 'days since delivery', usual: 45 },
    waited: '0..9',
    paid_with: { values: ['card', 'gift_card', 'cash'], usual: 'gift_card' },
    is_new: [true, false],
  },
  outcomes: { refund_to: { values: ['card', 'gift_card'], means: 'where the money goes' } },
});
const table = buildTable(cases, [
  {
    id: 'R1',
    when: [{ days_since: '..30' }, { days_since: '91..' }, { waited: '3..5' }],
    demands: { refund_to: 'card' },
  },
]);
const box = (of: Record<string, string | number | boolean | (string | number)[]>) =>
  table.attributes.map((attribute) => {
    const wanted = of[attribute.name];
    const all = attribute.cells.map(({ from }) => from);
    return (Array.isArray(wanted) ? wanted : wanted === undefined ? all : [wanted]).reduce<number>(
      (bits, value) => bits | toCellMask(attribute, value),
      0,
    );
  });

test('an example has the usual value where it is in the box, else the one next to a boundary of the rules', () => {
  expect(pickExample(box({}), table)).toEqual({ days_since: 45, waited: 2, paid_with: 'gift_card', is_new: true });
  const narrow = box({ days_since: '..30', waited: '3..5', paid_with: ['card', 'cash'], is_new: false });
  expect(pickExample(narrow, table)).toEqual({ days_since: 30, waited: 3, paid_with: 'card', is_new: false });
  expect(pickExample(box({ days_since: '91..', waited: '6..' }), table)).toMatchObject({ days_since: 91, waited: 6 });
  expect(pickExample(box({ days_since: '31..90' }), table)).toMatchObject({ days_since: 45 });
});

test('a box says what makes its cases special, neighbouring parts of a range as one', () => {
  expect(formatBox(box({}), table)).toBe('any case');
  expect(formatBox(box({ days_since: ['..30', '31..90'], paid_with: ['card', 'cash'] }), table)).toBe(
    'days since delivery: 0 to 90, paid with: card or cash',
  );
  expect(formatBox(box({ days_since: ['..30', '91..'], is_new: true }), table)).toBe(
    'days since delivery: 0 to 30 or 91 to 120, is new: yes',
  );
});

test('conditions and demands are read by their labels, names that nobody knows as they are', () => {
  expect(whenText('all', table)).toBe('every case');
  expect(whenText([{ days_since: '31..', is_new: false }, { other_thing: 3 }], table)).toBe(
    'days since delivery: 31 or more, is new: no; or other thing: 3',
  );
  expect(demandsText({ refund_to: ['card', 'gift_card'], fee_due: 'no_fee' }, table)).toBe(
    'where the money goes: card or gift card, fee due: no fee',
  );
  expect(formatCase({ days_since: 3, paid_with: 'gift_card' }, table)).toBe(
    'days since delivery: 3, paid with: gift card',
  );
  expect(['..30', '31..', '3..5', -2, true].map(valueText)).toEqual(['up to 30', '31 or more', '3 to 5', '-2', 'yes']);
});

test('an example leaves out an attribute that its case does not have', () => {
  const dependent = buildTable(
    Cases.parse({
      attributes: { request: ['book', 'cancel'], hours: { values: '1..4', when: { request: 'book' } } },
      outcomes: { fee: [0, 75] },
    }),
    [{ id: 'R1', when: { request: 'cancel' }, demands: { fee: 75 } }],
  );
  const [line] = dependent.lines;
  expect(formatCase(pickExample(line?.boxes[0] ?? [], dependent), dependent)).toBe('request: cancel');
});
