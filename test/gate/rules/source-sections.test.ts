/** Which rules come from which section: by their quotes, by the numbers that they name, and by titles. */
import { describe, expect, test } from 'vitest';
import { listSections, sectionsWithoutRule } from '../../../src/gate/rules/source-sections.ts';
import type { BusinessRule } from '../../../src/scenario/design.ts';

const rule = (id: string, more: Partial<BusinessRule> = {}): BusinessRule => ({
  ...{ id, title: id, text: `The text of ${id}.`, severity: 'must', applies_to: [] },
  ...more,
});

const RETURNS = `# Returns
Owner: Customer Care.

## 1. Time
Thirty days. A return on day 31 is too late.

## 2. What stays with the customer
- Opened hygiene goods come
  back never.

## 3. Tone
Be short.
`;
const read = (rules: readonly BusinessRule[], text = RETURNS, path = 'policies/returns.md') =>
  listSections(rules, [{ path, text }])[0]?.sections ?? [];

test('a rule belongs to the section in which the sentence that it quotes begins', () => {
  const rules = [
    rule('R1', { quote: 'A return on day 31 is too late.' }),
    rule('R2', { quote: 'hygiene goods come back never.' }),
  ];
  expect(read(rules)).toEqual([
    { line: 4, title: '1. Time', rules: ['R1'] },
    { line: 7, title: '2. What stays with the customer', rules: ['R2'] },
    { line: 11, title: '3. Tone', rules: [] },
  ]);
});

describe('of which file', () => {
  test('Chinese headings and numbers are read', () => {
    const text = '# 退货\n## 1. 期限\n三十天内可以退货。\n## 2. 例外\n礼品卡不能退。\n';
    const [file] = listSections([rule('R1', { source: '政策.md 第2节' })], [{ path: '政策.md', text }]);
    expect(file?.sections.map(({ title, rules }) => [title, rules.length])).toEqual([
      ['1. 期限', 0],
      ['2. 例外', 1],
    ]);
  });

  test('of a source with very many, the last one goes to the end', () => {
    const text = Array.from({ length: 1000 }, (_, index) => `Paragraph ${index} of the text.\n\n`).join('');
    const sections = read([rule('R1', { quote: 'Paragraph 998 of the text.' })], text);
    expect(sections).toHaveLength(300);
    expect(sections.at(-1)).toMatchObject({ line: 599, rules: ['R1'] });
  });
});

test('a file from which no rule comes is one entry, unless it is short', () => {
  const files = [1, 3, 4].map((length) => ({
    file: `${length}.md`,
    sections: Array.from({ length }, (_, index) => ({ line: index + 1, title: 'T', rules: [] })),
  }));
  expect(sectionsWithoutRule(files)).toEqual([
    '1.md:1 T',
    '3.md:1 T',
    '3.md:2 T',
    '3.md:3 T',
    '4.md (none of its 4 sections)',
  ]);
});

test('sections without a rule are named by file and line', () => {
  expect(
    sectionsWithoutRule(
      listSections(
        [rule('R1', { source: 'a.md, section 1' })],
        [
          { path: 'a.md', text: RETURNS },
          { path: 'b.md', text: 'Only one paragraph.\n' },
        ],
      ),
    ),
  ).toEqual(['a.md:7 2. What stays with the customer', 'a.md:11 3. Tone', 'b.md:1 Only one paragraph.']);
});

test('the brief and files of data are not looked at', () => {
  const sources = ['brief.md', 'policies/brief.md', 'imported/tools.yaml', 'prices.CSV', 'returns'].map((path) => ({
    path,
    text: RETURNS,
  }));
  expect(listSections([], sources).map(({ file }) => file)).toEqual(['policies/brief.md', 'returns']);
});

test('an image has no sections', () => {
  expect(listSections([], [{ path: 'shelf.png', text: '\uFFFDPNG\n\0\0 IHDR words that are none' }])).toEqual([]);
});

test('the sections of a brief are sources where no policy lies beside it', () => {
  const brief = { path: 'brief.md', text: RETURNS };
  const data = { path: 'prices.csv', text: 'a,b' };
  expect(listSections([], [brief, data]).map(({ file }) => file)).toEqual(['brief.md']);
  expect(listSections([], [brief, { path: 'policy.md', text: RETURNS }]).map(({ file }) => file)).toEqual([
    'policy.md',
  ]);
});
