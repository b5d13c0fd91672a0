/** A rule that goes before another one in some outcomes only: Init is asked what becomes of the rest. */
import { expect, test } from 'vitest';
import { designChecks } from '../../../../src/gate/open-gate.ts';
import { findPartialPrecedence } from '../../../../src/gate/rules/gaps/find-partial-precedence.ts';
import { BusinessRules, FormatSpec } from '../../../../src/scenario/design.ts';
import { briefOf } from '../../../support/designs.ts';

const rule = (id: string, of: object) => ({ id, title: id, text: `${id} is told`, severity: 'must', ...of });
const DAMAGED = { reason: 'damaged' };

/** Late returns cost a fee and go to the counter; damaged ones are free. */
function createDesign(damaged: object = {}, counter: object = { from: { at: '/goes' } }) {
  const { rules } = BusinessRules.parse({
    version: 1,
    rules: [
      rule('R1', { when: { days: '31..' }, demands: { fee: 500, goes_to: 'counter' } }),
      rule('R2', { when: DAMAGED, demands: { fee: 0 }, over: ['R1'], ...damaged }),
    ],
  });
  const format = FormatSpec.parse({
    version: 1,
    world: { type: 'object' },
    tools: [{ name: 'charge', purpose: 'charges', changes_world: true }],
    categories: [{ id: 'all', title: 'all', samples: 1 }],
    subject_prompt: 'R1 R2',
    cases: {
      attributes: { days: '0..60', reason: ['damaged', 'late'] },
      outcomes: {
        fee: { values: '0..500', from: { sum: 'cents', added: '/charges' } },
        goes_to: { values: ['counter', 'shelf'], means: 'where it goes', when: { days: '31..' }, ...counter },
      },
    },
  });
  return { rules, format };
}

const listNames = ({ rules, format }: ReturnType<typeof createDesign>): string[] =>
  format.cases === undefined ? [] : findPartialPrecedence({ cases: format.cases }, rules).map(({ name }) => name);

test('what the weaker rule demands alone is named, with what can be done about it', () => {
  const { rules, format } = createDesign();
  const found = format.cases && findPartialPrecedence({ cases: format.cases }, rules);
  expect(found).toEqual([
    { name: 'R2 over R1', text: expect.stringContaining('R1 demands of where it goes still holds') },
  ]);
  expect(found?.[0]?.text).toContain('leave "R2 over R1" out with the reason');
});

test.each([
  ['it demands that outcome too', createDesign({ demands: { fee: 0, goes_to: 'shelf' } })],
  [
    'it demands that outcome on another line',
    createDesign({ also: [{ when: DAMAGED, demands: { goes_to: 'shelf' } }] }),
  ],
  ['they never meet', createDesign({ when: { ...DAMAGED, days: '..30' } })],
  ['nothing reads that outcome', createDesign({}, { from: 'words' })],
  ['it goes before no rule', createDesign({ over: [] })],
])('nothing is asked where %s', (_, design) => {
  expect(listNames(design)).toEqual([]);
});

test('is asked at submit_design and at the gate until Init says why it is meant, by this name and no other', () => {
  const { rules, format } = createDesign();
  const check = (...leftOut: { what: string; why: string }[]) =>
    designChecks(
      { rules: { version: 1, rules, open_questions: [] }, format, leftOut },
      briefOf({ min: 1, categories: ['all'] }),
      [],
    ).find(({ name }) => name === 'a rule that goes before another leaves nothing of it open');
  expect(check()).toMatchObject({ ok: false });
  expect(check({ what: 'R2', why: 'of another gap' })).toMatchObject({ ok: false });
  const answered = check({ what: 'R2 over R1', why: 'the counter takes damaged returns as well' });
  expect(answered).toMatchObject({ ok: true, detail: expect.stringContaining('the counter takes damaged returns') });
});
