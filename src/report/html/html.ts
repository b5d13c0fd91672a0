/** HTML that is safe by construction: every value put into a template is escaped unless it came out of one; with table and tiles. */
import { type Cell, relativeHref, type ReportTable } from '../text/markdown.ts';
import { htmlText } from '../text/sanitise.ts';

// A symbol, so that nothing that was parsed from JSON can pass for markup.
const MARKUP = Symbol('markup');
export type Html = { readonly [MARKUP]: string };

type Value = string | number | Html | readonly Html[] | undefined;

/** Attributes must stand in double quotes; values are escaped for both text and attribute. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const parts = withoutIndents(strings);
  return { [MARKUP]: parts.reduce((page, string, index) => page + written(values[index - 1]) + string) };
}

const PARTS = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Spaces at the beginning of a template's lines are for who reads its source: a page does not carry them. */
function withoutIndents(strings: TemplateStringsArray): readonly string[] {
  const found = PARTS.get(strings) ?? strings.map((part) => part.replaceAll(/\n\s+/g, '\n'));
  PARTS.set(strings, found);
  return found;
}

/** The markup of a whole page. */
export function markupOf(page: Html): string {
  return page[MARKUP];
}

/** Markup that is written in this room, such as a style sheet; never anything that was read. */
export function ownMarkup(markup: string): Html {
  return { [MARKUP]: markup };
}

/** A duration by itself, which is not broken over two lines. */
const DURATION = /^<?\d[\d.]* (?:ms|s|min|h|days)(?: \d+ (?:s|min))?$/;

function written(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return htmlText(DURATION.test(value) ? value.replaceAll(' ', '\u00A0') : value);
  if (typeof value === 'number') return String(value);
  return MARKUP in value ? value[MARKUP] : value.map(markupOf).join('');
}

/** The most important numbers of a page, in large type. */
export type Tile = readonly [name: string, value: string, below: string];

/** `four`: in a row of four; otherwise as many as fit. */
export function tiles(list: readonly Tile[], kind: '' | 'four' = ''): Html {
  return html`<dl class="${kind === '' ? 'tiles' : `tiles ${kind}`}">
    ${list.map(
      ([name, value, below]) =>
        html`<div class="tile">
          <dt>${name}</dt>
          <dd>${value}<span>${below}</span></dd>
        </div>`,
    )}
  </dl>`;
}

/** Scrolls in a box of its own when the page is narrower than it is. `label` names it for those who do not see it; `rows` are whole `<tr>`s. */
export function table(
  { label, kind = 'tight' }: { label: string; kind?: 'tight' | 'pairs' | '' },
  head: readonly string[],
  rows: readonly Html[],
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table class="${kind}">
      <thead>
        <tr>
          ${head.map((name) => (name === '' ? html`<td></td>` : html`<th scope="col">${name}</th>`))}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** The first cell names the row. */
export function tableRow([first, ...cells]: readonly Value[]): Html {
  return html`<tr>
    <th scope="row">${first}</th>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`;
}

export function reportTable({ label, head, rows }: ReportTable, kind: 'tight' | '' = 'tight'): Html {
  return table(
    { label, kind },
    head,
    rows.map(
      ([first = '', ...cells]) =>
        html`<tr>
          <th scope="row">${cellHtml(first)}</th>
          ${cells.map(tableCell)}
        </tr>`,
    ),
  );
}

/** Text of somebody else's may be long. */
function tableCell(cell: Cell): Html {
  const isText = typeof cell === 'object' && 'text' in cell;
  return isText ? html`<td class="wide">${cell.text}</td>` : html`<td>${cellHtml(cell)}</td>`;
}

function cellHtml(cell: Cell): Value {
  if (typeof cell !== 'object') return cell;
  if ('text' in cell) return cell.text;
  if ('code' in cell) return html`<code>${cell.code}</code>`;
  if ('strong' in cell) return html`<strong>${cell.strong}</strong>`;
  if ('pill' in cell) return html`<span class="pill ${cell.tone}">${cell.pill}</span>`;
  const href = relativeHref(cell.path);
  return href === undefined ? cell.link : html`<a href="${href}">${cell.link}</a>`;
}
