/** The parts that every page is made of: what stands where, and nothing of it unescaped. */
import { expect, test } from 'vitest';
import { html, getMarkup, renderTiles, renderDataTable } from '../../../src/report/html/html.ts';

const flat = (markup: string) => markup.replaceAll(/>\s+</g, '><').trim();

test('a tile names what it shows, then the number, then what it is measured by', () => {
  const tile = '<div class="tile"><dt>Cost &lt;b&gt;</dt><dd>$1.45<span>of $15.00</span></dd></div>';
  const list = [['Cost <b>', '$1.45', 'of $15.00']] as const;
  expect(flat(getMarkup(renderTiles(list)))).toBe(`<dl class="tiles">${tile}</dl>`);
  expect(flat(getMarkup(renderTiles(list, 'four')))).toBe(`<dl class="tiles four">${tile}</dl>`);
});

test('a table scrolls in a named box that keys can reach, and heads its columns', () => {
  const rows = [
    html`<tr>
      <td>1</td>
    </tr>`,
    html`<tr>
      <td>2</td>
    </tr>`,
  ];
  expect(flat(getMarkup(renderDataTable({ label: 'Runs of "x"' }, ['run', '<state>'], rows)))).toBe(
    '<div class="scroll" tabindex="0" role="region" aria-label="Runs of &quot;x&quot;"><table class="tight"><thead><tr>' +
      '<th scope="col">run</th><th scope="col">&lt;state&gt;</th></tr></thead><tbody>' +
      '<tr><td>1</td></tr><tr><td>2</td></tr></tbody></table></div>',
  );
});

test('a duration stays on one line, and a template keeps its indents to itself', () => {
  const page = html`<ul>
    <li>${'33 min 13 s'}</li>
    <li>${'one day'}</li>
  </ul>`;
  expect(getMarkup(page)).toBe('<ul>\n<li>33\u00A0min\u00A013\u00A0s</li>\n<li>one day</li>\n</ul>');
});
