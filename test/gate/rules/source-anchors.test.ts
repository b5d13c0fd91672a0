/** A comment that asks for a rule of a section is answered when a rule comes from it. */
import { expect, test } from 'vitest';
import { judgeComments, type DesignText } from '../../../src/gate/rules/judge-comments.ts';
import { rule, rulesOf } from '../../support/designs.ts';

const FEES =
  '# Fees\n\n## 1. Moving\nForty euros.\n\n## 2. Cancelling\nHalf of the price is charged.\n\n## 3. Late\nDouble.\n';
const sources = [
  { path: 'policies/fees.md', text: FEES },
  { path: 'policies/words.md', text: FEES },
];
const moving = { ...rule('R1', 'Moving costs forty euros.'), source: 'policies/fees.md, section 1' };
const cancelling = { ...rule('R2', 'Cancelling costs half.'), quote: 'Half of the price is charged.' };
const THEN: DesignText = { rules: rulesOf(moving), files: {} };
const NOW: DesignText = { rules: rulesOf(moving, cancelling), files: {}, sources };

const judge = (text: string, then = THEN) =>
  judgeComments([{ gate: 'HITL-1.r1', round: 1, actor: 'user:ada', text }], () => then, NOW)[0];

test.each([
  ['policies/fees.md:6 is in no rule', true, 'changed since: policies/fees.md:6'],
  ['`policies/fees.md:7` is in no rule', true, 'changed since: policies/fees.md:6'],
  ['Section 2 is missing: see fees.md, section 2. At most 3 weeks.', true, 'changed since: policies/fees.md:6'],
  ['policies/fees.md \u00a7 2 fehlt', true, 'changed since: policies/fees.md:6'],
  ['policies/fees.md 第2节没有规则', true, 'changed since: policies/fees.md:6'],
  ['policies/fees.md, sections 3', false, 'unchanged: policies/fees.md:9'],
  ['policies/fees.md:6 and policies/fees.md:9', false, 'unchanged: policies/fees.md:9; changed: policies/fees.md:6'],
  ['policies/words.md, section 2', false, 'unchanged: policies/words.md:6'],
])('%s', (text, addressed, detail) => {
  expect(judge(text)).toMatchObject({ addressed, detail });
});

test('a file alone, or numbers about something else, name no section', () => {
  for (const text of [
    'policies/fees.md is long',
    'The 2 fees of policies/fees.md are 3 euros',
    'other.md:6',
    'late-fees.md:6',
  ]) {
    expect(judge(text)?.detail).toContain('no section of a source');
  }
});

test('a rule of the section that says something else now is a change too', () => {
  const before: DesignText = { ...THEN, rules: rulesOf({ ...moving, text: 'Moving is free.' }) };
  expect(judge('fees.md, section 1 says forty', before)).toMatchObject({ addressed: true });
  expect(judge('fees.md, section 1 says forty')).toMatchObject({ addressed: false });
});
