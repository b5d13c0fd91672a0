import { expect, test } from 'vitest';
import { caseChecks, packCases } from '../../../src/gate/rules/pack-cases.ts';
import { Cases } from '../../../src/scenario/cases/cases.ts';
import { formatOf, rule, rulesOf } from '../../support/designs.ts';

const cases = Cases.parse({
  attributes: { reason: ['not_wanted', 'damaged'], paid_with: ['card', 'gift_card'] },
  outcomes: { refund_to: ['card', 'gift_card'] },
});
const R7 = rule('R7', 'Damaged goods are always paid to the bank card.', {
  when: { reason: 'damaged' },
  demands: { refund_to: 'card' },
});
const R8 = rule('R8', 'Gift-card money goes back to the gift card, whatever the reason.', {
  when: { paid_with: 'gift_card' },
  demands: { refund_to: 'gift_card' },
});

test('a design without cases is in order, and says what was not checked', () => {
  expect(packCases(rulesOf(rule('R1', 'a')), formatOf())).toBeUndefined();
  expect(caseChecks(undefined)).toEqual([
    {
      name: 'cases of the rules',
      ok: true,
      skipped: true,
      detail:
        'not checked: the design names no cases, so code can find no conflict, no gap and no case without a sample',
    },
  ]);
});

test('where an outcome is read is said once, and not at every rule', () => {
  const read = Cases.parse({
    attributes: { reason: ['not_wanted', 'damaged'] },
    outcomes: { refund_to: { values: ['card', 'gift_card'], from: { added: '/refunds', field: 'to' } } },
  });
  const all = ['not_wanted', 'damaged'].map((reason, index) =>
    rule(`R${index + 1}`, 'Refunds go to the card.', { when: { reason }, demands: { refund_to: 'card' } }),
  );
  const packed = packCases(rulesOf(...all), formatOf({ cases: read }));
  expect(packed?.readings).toEqual(['refund to: read as to of what was added under /refunds']);
  expect(packed?.rules.flatMap(({ lines }) => lines.map(({ demands }) => demands))).toEqual([
    'refund to: card',
    'refund to: card',
  ]);
});

test('shows what each rule says to code, and what is wrong with all of them together', () => {
  const packed = packCases(rulesOf(R7, R8), formatOf({ cases }));
  expect(packed?.rules).toEqual([
    { id: 'R7', lines: [{ when: 'reason: damaged', demands: 'refund to: card' }], over: [] },
    { id: 'R8', lines: [{ when: 'paid with: gift card', demands: 'refund to: gift card' }], over: [] },
  ]);
  expect(packed?.findings.map(({ kind, rules }) => [kind, ...rules])).toEqual([['conflict', 'R7', 'R8'], ['gap']]);
  expect(caseChecks(packed)).toEqual([
    {
      name: 'the rules agree on every case',
      ok: false,
      detail:
        'When “reason” is damaged and “paid with” is gift card, the rules disagree about refund to: R7 demands card, R8 demands gift card, and neither goes first.',
    },
    {
      name: 'some rule decides every case',
      ok: false,
      detail: 'When “reason” is not wanted and “paid with” is card, no rule decides refund to.',
    },
  ]);
});

test.each([
  ['wholly', { refund_to: 'card' }, {}, ['R8']],
  [
    'in one of two outcomes',
    { refund_to: 'card', notice: 'yes' },
    {},
    ['R8 (what R8 demands of notice sent still holds)'],
  ],
  ['in cases that both have alone', { refund_to: 'card' }, { paid_with: 'card' }, ['R8']],
])('a rule that goes before another one %s is shown with what still holds', (_, demands, when, over) => {
  const two = Cases.parse({
    attributes: { reason: ['not_wanted', 'damaged'], paid_with: ['card', 'gift_card'] },
    outcomes: { refund_to: ['card', 'gift_card'], notice: { values: ['yes', 'no'], means: 'notice sent' } },
  });
  const stronger = rule('R7', 'Damaged goods.', {
    when: { reason: 'damaged' },
    demands: { refund_to: 'card' },
    over: ['R8'],
  });
  const weaker = rule('R8', 'All goods.', { when: { reason: 'damaged', ...when }, demands });
  const packed = packCases(rulesOf(stronger, weaker), formatOf({ cases: two }));
  expect(packed?.rules[0]?.over).toEqual(over);
});
