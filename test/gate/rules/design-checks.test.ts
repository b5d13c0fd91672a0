import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { checkDesign, checkQuotes, type DesignCheck } from '../../../src/gate/rules/design-checks.ts';
import type { BusinessRules, FormatSpec } from '../../../src/scenario/design.ts';
import { briefOf, formatOf, rule, rulesOf } from '../../support/designs.ts';

const BRIEF = briefOf({ min: 10, categories: ['refunds'] });
const TOLD = formatOf({ subject_prompt: 'Keep R1 and R2.' });

function check(name: string, rules: BusinessRules, format: FormatSpec = TOLD): DesignCheck {
  const found = checkDesign(rules, format, BRIEF).find((candidate) => candidate.name.includes(name));
  if (found === undefined) throw new Error(`no check is about ${name}`);
  return found;
}

test('finds nothing in a sound design', () => {
  const checks = checkDesign(rulesOf(rule('R1', 'Greet.'), rule('R2', 'Thank.')), TOLD, BRIEF);
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(checks.length).toBeGreaterThan(5);
});

test('names doubled rule ids, tools and categories', () => {
  expect(check('rule ids', rulesOf(rule('R1', 'a'), rule('R1', 'b'), rule('R1', 'c')))).toEqual({
    name: 'rule ids are unique',
    ok: false,
    detail: 'R1 is listed more than once',
  });
  const [tool] = TOLD.tools;
  const twice = formatOf({ tools: tool === undefined ? [] : [tool, tool] });
  expect(check('tools and categories', rulesOf(rule('R1', 'a')), twice)).toMatchObject({
    ok: false,
    detail: 'tool lookup_order is listed more than once',
  });
  const refunds = { id: 'refunds', title: 'Refunds', samples: 10 };
  expect(
    check('tools and categories', rulesOf(rule('R1', 'a')), formatOf({ categories: [refunds, refunds] })),
  ).toMatchObject({
    ok: false,
    detail: 'category refunds is listed more than once',
  });
});

test('names a tool that a rule applies to and the format does not have', () => {
  const rules = rulesOf(rule('R1', 'a', { applies_to: ['issue_refund', 'issue_refunds'] }));
  expect(check('rules name tools', rules).detail).toBe('R1 applies to issue_refunds, which the format does not have');
});

test('names a quote that is in no source; a rule without one is no fault', () => {
  const sources = [{ path: 'policies/refunds.md', text: 'Refunds are paid\nwithin **thirty days** of delivery.' }];
  const right = rule('R1', 'a', { quote: 'paid within thirty days', source: 'policies/refunds.md' });
  const wrong = rule('R2', 'b', { quote: 'paid within ninety days', source: 'policies/refunds.md' });
  expect(checkQuotes([right, rule('R3', 'c')], sources)).toEqual({
    name: 'quotes are in the sources',
    ok: true,
    detail: '1 of 2 rules quote their source',
  });
  expect(checkQuotes([right, wrong], sources)).toMatchObject({
    ok: false,
    detail: 'what R2 quotes is in no source word for word: “paid within ninety days”',
  });
  const short = rule('R4', 'd', { quote: 'thirty days', source: 'policies/refunds.md' });
  expect(checkQuotes([short], sources).detail).toContain('what R4 quotes has fewer than 3 words');
});

describe('telling the subject', () => {
  const RULE = rule('R12', 'Refund at most thirty days after the delivery date.');

  test('counts by id, as a word of its own', () => {
    expect(check('told', rulesOf(RULE), formatOf({ subject_prompt: 'Keep R12.' })).ok).toBe(true);
    expect(check('told', rulesOf(RULE), formatOf({ subject_prompt: 'Keep R123.' })).ok).toBe(false);
  });

  test('counts by its words, also in another order', () => {
    const prompt = 'After the delivery date, thirty days are the most in which you refund.';
    expect(check('told', rulesOf(RULE), formatOf({ subject_prompt: prompt })).ok).toBe(true);
    const also = rule('R13', 'Name the date of the delivery.');
    expect(
      check('told', rulesOf(RULE, also), formatOf({ subject_prompt: 'Be kind about delivery.' })).detail,
    ).toContain('look at R12');
  });

  test.each([
    ['in other forms of its words', 'Before you book anything, look up the serial number.'],
    ['in the words of its source', 'Nothing may happen ahead of a serial number that was looked up.'],
  ])('counts %s', (_, prompt) => {
    const serial = {
      ...rule('R4', 'Before anything is booked the serial number has been looked up.'),
      quote: 'A serial number is looked up ahead of everything that may happen.',
    };
    expect(check('told', rulesOf(serial), formatOf({ subject_prompt: prompt })).ok).toBe(true);
    const also = rule('R5', 'Ask for a serial number.');
    const left = formatOf({ subject_prompt: 'Ask for the serial number.' });
    expect(check('told', rulesOf(serial, also), left).detail).toMatch(/^look at R4 /);
  });

  test('is not asked for what is only a should', () => {
    const soft = rulesOf({ ...RULE, severity: 'should' });
    expect(check('told', soft, formatOf({ subject_prompt: 'Be kind.' })).ok).toBe(true);
  });
});

test('holds categories and the number of samples against the brief', () => {
  const format = formatOf({ categories: [{ id: 'cards', title: 'Cards', samples: 9 }] });
  expect(check('categories are those', rulesOf(rule('R1', 'a')), format).detail).toBe(
    'the brief asks for refunds, the format leaves it out; the format adds cards, the brief does not ask for it',
  );
  expect(check('enough', rulesOf(rule('R1', 'a')), format).detail).toBe('9 samples are planned, the brief asks for 10');
});

test('a rule is in the prompt where one of its own words is, in any form, or where it stands word for word', () => {
  const rules = rulesOf(
    rule('R1', 'Bookings are cancelled kindly'),
    rule('R2', 'Bookings of visitors are moved twice'),
  );
  const told = (prompt: string) => check('told every must rule', rules, formatOf({ subject_prompt: `R1. ${prompt}` }));
  expect(told('Nobody moves a booking more often.').ok).toBe(true);
  expect(told('Be kind about bookings.')).toMatchObject({ ok: false, detail: expect.stringMatching(/^look at R2 /) });
  // No word of it is long enough to be looked for.
  const short = rulesOf(rule('R1', 'Do no ill.\n'));
  expect(check('told every must rule', short, formatOf({ subject_prompt: 'Be kind. Do no ill. Be brief.' })).ok).toBe(
    true,
  );
  const alike = rulesOf(rule('R1', 'Visitors may book twice'), rule('R2', 'Visitors may book twice'));
  expect(check('told every must rule', alike, formatOf({ subject_prompt: 'Sell lamps.' }))).toMatchObject({
    skipped: true,
    detail: 'not judged, as other rules have its words: R1, R2',
  });
});

type ToldRule = { rule: string; told: string };

// Written in the words of five trades before the check was: told in other words, and left out one by one.
test.each([
  ['finnish', 7],
  ['turkish', 7],
  ['english', 7],
  ['german', 9],
  ['chinese', 9],
])('in %s no paraphrased rule is flagged, and of ten that are left out it finds %i', (language, least) => {
  const file = new URL(`../../fixtures/told-rules/${language}.yaml`, import.meta.url);
  const list = parse(readFileSync(file, 'utf8')) as ToldRule[];
  const rules = rulesOf(...list.map(({ rule: text }, index) => rule(`R${index + 1}`, text)));
  const flagged = (left?: number): string[] => {
    const prompt = list.flatMap(({ told }, index) => (index === left ? [] : [told])).join(' ');
    const { detail } = check('told every must rule', rules, formatOf({ subject_prompt: prompt }));
    return [...detail.matchAll(/look at (R\d+)/g)].map(([, id]) => String(id));
  };
  expect(flagged()).toEqual([]);
  const found = list.map((_, index) => flagged(index));
  expect(found.flatMap((ids, index) => ids.filter((id) => id !== `R${index + 1}`))).toEqual([]);
  expect(found.filter((ids) => ids.length > 0).length).toBeGreaterThanOrEqual(least);
});

test('says which categories the brief asks for, also where all is well', () => {
  expect(check('of the brief', rulesOf(rule('R1', 'a'))).detail).toBe('refunds');
});

test('a rule in a language whose words cannot be compared is named as not judged, and never flagged', () => {
  const arabic = formatOf({ subject_prompt: 'لا تعد المال بعد ثلاثين يوما.' });
  expect(check('told every must rule', rulesOf(rule('R2', 'اطلب موافقة الزبون قبل رد المال')), arabic)).toMatchObject({
    ok: true,
    skipped: true,
    detail: 'not judged in this language: R2',
  });
  const mixed = rulesOf(rule('R1', 'Greet every customer warmly'), rule('R2', '必须先征得客户同意'));
  expect(check('told every must rule', mixed, formatOf({ subject_prompt: 'Sell lamps.' }))).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/look at R1 .*; not judged in this language: R2/),
  });
});
