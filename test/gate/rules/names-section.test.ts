/** Whether the source of a rule names a section: by number, by title, by its file; and by what it does not. */
import { describe, expect, test } from 'vitest';
import { listSections } from '../../../src/gate/rules/source-sections.ts';
import type { BusinessRule } from '../../../src/scenario/design.ts';

const rule = (source: string): BusinessRule => ({
  ...{ id: 'R1', title: 'R1', text: 'The text of R1.', severity: 'must', applies_to: [] },
  source,
});

const RETURNS = `# Returns
Owner: Customer Care.

## 1. Time
Thirty days.

## 2. What stays with the customer
Opened hygiene goods.

## 3. Tone
Be short.
`;
const FILES = ['policies/returns.md', 'policies/other.md'].map((path) => ({ path, text: RETURNS }));

describe('a source that is named', () => {
  const named = (source: string) =>
    listSections([rule(source)], FILES)[0]
      ?.sections.filter(({ rules }) => rules.length > 0)
      .map(({ line }) => line);

  test.each([
    ['policies/returns.md, section 2', [7]],
    ['policies/returns.md \u00a7 1', [4]],
    ['policies/returns.md, sections 1 to 3', [4, 7, 10]],
    ['policies/returns.md 2–3', [7, 10]],
    ['policies/returns.md, Abschnitt 1 bis 2', [4, 7]],
    ['policies/returns.md, 3. Tone', [10]],
    ['policies/other.md, section 9; policies/returns.md, section 1', [4]],
    // Of which section, it does not say.
    ['policies/returns.md', []],
    ['policies/other.md, section 2', []],
    ['policies/other.md, section 2; policies/returns.md', []],
    ['policies/returns.md, sections 3 to 999999999', [10]],
    ['policies/returns.md, section 1, policies/other.md, section 2', [4]],
    ['policies/other.md, section 1, policies/returns.md, section 3', [10]],
    ['section 2 of policies/returns.md', [7]],
    ['section 2 of policies/returns.md and section 1 of policies/other.md', [7]],
    ['policies/returns.md \u00a7 1; \u00a7 3', [4, 10]],
    ['policies/returns.md, section 2; policies/other.md; section 1', [7]],
    // The agents read it at this path, and some leave the folder out.
    ['scenario/policies/returns.md, section 2', [7]],
    ['returns.md, section 2', [7]],
    ['policies/returns.md, "What stays with the customer"', [7]],
    // A place within a section is no section.
    ['policies/returns.md \u00a7 2 Abs. 1 Satz 3', [7]],
    ['policies/returns.md, section 2, paragraph 1', [7]],
    ['policies/returns.md, section 2 (1), lines 1-3', [7]],
  ])('%s', (source, lines) => {
    expect(named(source)).toEqual(lines);
  });
});

test('a source of one section is named by its file', () => {
  expect(
    listSections([rule('policies/returns.md')], [{ path: 'policies/returns.md', text: '# Returns\nThirty days.\n' }])[0]
      ?.sections,
  ).toMatchObject([{ title: 'Returns', rules: ['R1'] }]);
});

test.each([
  ['Section 2: Cancelling', 'a.md, section 2', true],
  ['Section 2: Cancelling', 'a.md, section 1', false],
  ['\u00a7 3 Fristen', 'a.md, \u00a7 3', true],
  ['Über 3 Meter', 'a.md, Kapitel 4', false],
  ['第三条 期限', 'a.md 第3条', true],
  ['第十二条 期限', 'a.md 第十二条', true],
  ['第3条 期限', 'a.md 第三条第2款', true],
  ['第二条 期限', 'a.md 第三条第2款', false],
  ['二十一、例外', 'a.md 第21节', true],
  ['退货期限30天', 'a.md 第30节', false],
  ['2.1 Fees', 'a.md, 2.1', true],
  ['2.1 Fees', 'a.md, section 2', false],
  ['Fees', 'a.md, section 9, fees', false],
  ['Tax', 'a.md, taxes', false],
  ['Orders over 100 euros', 'a.md, "Orders over 100 euros"', true],
])('the section "%s" and the source "%s": %s', (title, source, isNamed) => {
  const text = `# ${title}\nsome words here\n# Other\nsome words here\n`;
  expect(listSections([rule(source)], [{ path: 'a.md', text }])[0]?.sections[0]?.rules).toEqual(isNamed ? ['R1'] : []);
});
