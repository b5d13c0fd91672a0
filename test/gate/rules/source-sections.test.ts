/** Which rules come from which section: by their quotes, by the numbers that they name, and by titles. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sectionsOf, sectionsWithoutRule } from '../../../src/gate/rules/source-sections.ts';
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
  sectionsOf(rules, [{ path, text }])[0]?.sections ?? [];

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

describe('a source that is named', () => {
  const named = (source: string) =>
    read([rule('R1', { source })])
      .filter(({ rules }) => rules.length > 0)
      .map(({ line }) => line);

  test.each([
    ['policies/returns.md, section 2', [7]],
    ['policies/returns.md \u00a7 1', [4]],
    ['policies/returns.md, sections 1 to 3', [4, 7, 11]],
    ['policies/returns.md 2–3', [7, 11]],
    ['policies/returns.md, Abschnitt 1 bis 2', [4, 7]],
    ['policies/returns.md, 3. Tone', [11]],
    ['policies/other.md, section 9; policies/returns.md, section 1', [4]],
    // Of which section, it does not say.
    ['policies/returns.md', []],
    ['policies/other.md, section 2', []],
    ['policies/other.md, section 2; policies/returns.md', []],
    ['policies/returns.md, sections 3 to 999999999', [11]],
  ])('%s', (source, lines) => {
    expect(named(source)).toEqual(lines);
  });
});

test('a source of one section is named by its file', () => {
  expect(read([rule('R1', { source: 'policies/returns.md' })], '# Returns\nThirty days.\n')).toMatchObject([
    { title: 'Returns', rules: ['R1'] },
  ]);
});

describe('what is a section', () => {
  const titles = (text: string) => read([], text).map(({ line, title }) => `${line} ${title}`);

  test('words before the first heading, and a long opening under the title of a file, are one', () => {
    const long =
      'Goods that arrived broken are on another page and none of these limits apply to them at any time whatsoever, says the management of the whole warehouse.';
    expect(titles(`Before all.\n\n# One\nwords here\n`)).toEqual(['3 One']);
    expect(titles(`# Page\n${long}\n## One\nwords here\n`)).toEqual(['1 Page', '3 One']);
  });

  test('a heading without words of its own is none', () => {
    expect(titles('# Page\n\n## Part\n\n### One ###\nwords here\n')).toEqual(['5 One']);
  });

  test('a file without headings has its paragraphs, by their first words', () => {
    expect(titles('First *paragraph*\r\nof two lines.\r\n\r\nSecond one.\r\n')).toEqual([
      '1 First paragraph of two lines.',
      '4 Second one.',
    ]);
    expect(titles(`${'word '.repeat(40)}\n`)[0]).toMatch(/^1 (word )+…$|…$/);
  });

  test('a line of code that begins with # is no heading', () => {
    expect(titles('# Page\nsome words\n```sh\n# a comment\n```\n')).toEqual(['1 Page']);
  });

  test('Chinese headings and numbers are read', () => {
    const text = '# 退货\n## 1. 期限\n三十天内可以退货。\n## 2. 例外\n礼品卡不能退。\n';
    const [file] = sectionsOf([rule('R1', { source: '政策.md 第2节' })], [{ path: '政策.md', text }]);
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

  test('an empty file has none', () => {
    expect(titles('')).toEqual([]);
  });
});

test('sections without a rule are named by file and line', () => {
  expect(
    sectionsWithoutRule(
      sectionsOf(
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
  expect(sectionsOf([], sources).map(({ file }) => file)).toEqual(['policies/brief.md', 'returns']);
});

test('whatever the text, sections are in order, and no line is in two', () => {
  const line = fc.constantFrom('', '# Title', '## 1. Part', 'some words', '- item of words', '```', '  ');
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const places = read([], lines.join('\n')).map((section) => section.line);
      expect(places).toEqual([...new Set(places)].toSorted((one, other) => one - other));
      for (const place of places) expect(lines[place - 1]?.trim()).not.toBe('');
    }),
  );
});
