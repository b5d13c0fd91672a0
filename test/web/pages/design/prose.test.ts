import { expect, test } from 'vitest';
import { getMarkup } from '../../../../src/report/html/html.ts';
import { renderProse } from '../../../../src/web/pages/design/prose.ts';

const shown = (text: string): string => getMarkup(renderProse(text)).replaceAll(/\s+/g, ' ');

test('a table of Markdown is a table, also right under a sentence, with bars and markup that stay text', () => {
  const table = shown('As follows:\n| tool | does |\n|---|:--:|\n| `pay` | a \\| b |\n| <b>x</b> | |');
  expect(table).toContain('<p>As follows:</p>');
  expect(table).toMatch(/<th scope="col">tool<\/th>\s*<th scope="col">does<\/th>/);
  expect(table).toMatch(/<td[^>]*><code>pay<\/code><\/td>\s*<td[^>]*>a \| b<\/td>/);
  expect(table).toContain('>&lt;b&gt;x&lt;/b&gt;</td>');
  expect(table).not.toContain('|---');
});

test.each(['| no | rule |\n| a | b |', '```\n| a |\n|---|\n```'])('what is no table stays as it is: %j', (text) => {
  expect(shown(text)).not.toContain('<table');
  expect(shown(text)).toContain('<pre>');
});

test.each([' '.repeat(200_000), '|'.repeat(100_000), '|-'.repeat(50_000), '| a |\n'.repeat(20_000)])(
  'hostile text costs no time: %#',
  (text) => {
    expect(shown(`| a |\n${text}x`)).not.toContain('<table');
  },
);
