/** Where sections begin: in Markdown, in plain text with numbers, in plain text without any, in Chinese. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listSections } from '../../../src/gate/rules/source-sections.ts';

const read = (text: string) => listSections([], [{ path: 'a.txt', text }])[0]?.sections ?? [];
const titles = (text: string) => read(text).map(({ line, title }) => `${line} ${title}`);
/** `|` ends a line. */
const inLines = (text: string) => titles(text.replaceAll('|', '\n'));

describe('what is a section', () => {
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

  test('an empty file has none', () => {
    expect(titles('')).toEqual([]);
  });
});

describe('sections that no # begins', () => {
  test.each([
    ['The desk|====|Owner: Desk.||1) Space|-----|It fits.||2) Height|---|Low ones.', ['5 1) Space', '9 2) Height']],
    [
      '# Gefahrgut||Stand: Mai.||\u00a7 1 Klassen|Keine der Klasse eins.||\u00a7 2 Menge|Zwei Fahrzeuge.',
      ['5 \u00a7 1 Klassen', '8 \u00a7 2 Menge'],
    ],
    ['3) Fees|Forty euros.||4) Livestock|Last sailing.', ['1 3) Fees', '4 4) Livestock']],
    ['3. Fees||Forty euros.||4. Livestock||Last sailing.', ['1 3. Fees', '5 4. Livestock']],
    [
      'Section 1: Moving|Forty euros.||Section 2: Cancelling|Half of|the price.',
      ['1 Section 1: Moving', '4 Section 2: Cancelling'],
    ],
    [
      '\u00a7 1 Fees are paid in cash.||\u00a7 2 Nobody gets credit.',
      ['1 \u00a7 1 Fees are paid in cash.', '3 \u00a7 2 Nobody gets credit.'],
    ],
    ['**Fees**|Forty euros.||**Livestock**|Last sailing.', ['1 Fees', '4 Livestock']],
    ['第一条 期限|三十天内可以退货。|第二条 礼品卡不能退。', ['1 第一条 期限', '3 第二条 礼品卡不能退。']],
    ['一、期限|三十天内可以退货。||二、例外|礼品卡不能退。', ['1 一、期限', '4 二、例外']],
  ])('%s', (text, sections) => {
    expect(inLines(text)).toEqual(sections);
  });

  test('lines across the page and tables are no headings', () => {
    const text = 'One sentence stands here.|---|Another.||---||name   kind|-----  -----|lorry  car';
    expect(inLines(text)).toEqual(['1 One sentence stands here. --- Another.', '7 name kind ----- ----- lorry car']);
  });

  test('below headings of Markdown, numbered lines are items', () => {
    const text =
      '## 1. Fees|Some are:||1. Small ones|for small lorries||2. Big ones|for big lorries|## 2. End|words here';
    expect(inLines(text)).toEqual(['1 1. Fees', '9 2. End']);
  });

  test('a page with nothing but a title has its paragraphs and the items of its lists', () => {
    const text =
      '# Words|Owner: Desk.||Fees are named.||- No arrival time.|  - Never one.|- No jokes.||1. Be kind.|2. Be short.';
    expect(inLines(text)).toEqual([
      ...['1 Words', '4 Fees are named.', '6 - No arrival time. - Never one.'],
      ...['8 - No jokes.', '10 1. Be kind.', '11 2. Be short.'],
    ]);
  });

  test('a line of its own that is no sentence is the title of the paragraph after it', () => {
    const text = 'Who may book||Hauliers with an account.||Height||At most four metres.||Never higher ones.';
    expect(inLines(text)).toEqual(['1 Who may book', '5 Height', '9 Never higher ones.']);
  });
});

test('the first section is dropped as an opening only where the others are below it', () => {
  expect(inLines('# Page|Owner: Desk.|## Fees|Forty euros.')).toEqual(['3 Fees']);
  expect(inLines('## Fees|Forty euros.|## Height|Four metres.')).toEqual(['1 Fees', '3 Height']);
});

test('an opening in Chinese is as long as its characters', () => {
  const opening = '本页适用于所有退货，不论商品是否损坏，也不论顾客在何处购买，顾客必须出示收据。';
  expect(inLines(`# 退货|${opening}|## 1. 期限|三十天。`)).toEqual(['1 退货', '3 1. 期限']);
  expect(inLines('# 退货|负责人：客服部。|## 1. 期限|三十天。')).toEqual(['3 1. 期限']);
});

test('whatever the text, sections are in order, and no line is in two', () => {
  const line = fc.constantFrom(
    '',
    '# Title',
    '## 1. Part',
    'some words',
    '- item of words',
    '```',
    '  ',
    '===',
    '\u00a7 2',
    '3) Fees',
    '**Bold**',
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const places = read(lines.join('\n')).map((section) => section.line);
      expect(places).toEqual([...new Set(places)].toSorted((one, other) => one - other));
      for (const place of places) expect(lines[place - 1]?.trim()).not.toBe('');
    }),
  );
});
