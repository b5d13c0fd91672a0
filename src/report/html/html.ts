/** HTML that is safe by construction: a template escapes every value that is not HTML itself; with tables and tiles. */
import { getOrCreate } from '../../get-or-create.ts';
import { type TableCell, relativeHref, type ReportTable } from '../text/markdown.ts';
import { htmlText } from '../text/sanitise.ts';

// A symbol, so that nothing parsed from JSON can pass for markup.
const MARKUP = Symbol('markup');
export type Html = { readonly [MARKUP]: string };

type TemplateValue = string | number | Html | readonly Html[] | undefined;

/** Attributes must be in double quotes; values are escaped for text and for attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly TemplateValue[]): Html {
  const parts = stripIndents(strings);
  return { [MARKUP]: parts.reduce((page, string, index) => page + renderValue(values[index - 1], page) + string) };
}

const TEMPLATE_PARTS = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Strips the indentation of a template's lines, which only serves the reader of the source. */
function stripIndents(strings: TemplateStringsArray): readonly string[] {
  return getOrCreate(TEMPLATE_PARTS, strings, () => strings.map((part) => part.replaceAll(/\n\s+/g, '\n')));
}

/** Returns the markup of a page as a string. */
export function getMarkup(page: Html): string {
  return page[MARKUP];
}

/** Marks our own text as markup, such as a style sheet; never for text that was read. */
export function trustMarkup(markup: string): Html {
  return { [MARKUP]: markup };
}

/** Matches what must not break over two lines: a duration alone, and a percentage where it is shown and not sent back. */
const DURATION = /^<?\d[\d.]* (?:ms|s|min|h|days)(?: \d+ (?:s|min))?$/;
const PERCENT = /(?<=\d) (?=%)/g;
const SENT_BACK = /(?:="[^"]*|<textarea[^>]*>)$/;

function renderValue(value: TemplateValue, before: string): string {
  if (value === undefined) return '';
  if (typeof value === 'string') {
    if (DURATION.test(value)) return htmlText(value.replaceAll(' ', '\u00A0'));
    return htmlText(value.includes(' %') && !SENT_BACK.test(before) ? value.replaceAll(PERCENT, '\u00A0') : value);
  }
  if (typeof value === 'number') return String(value);
  return MARKUP in value ? value[MARKUP] : value.map(getMarkup).join('');
}

/** One of the most important numbers of a page, in large type. */
export type Tile = readonly [name: string, value: string, below: string];

/** `four`: four in a row; otherwise as many as fit. */
export function renderTiles(list: readonly Tile[], kind: '' | 'four' = ''): Html {
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

/** Renders what is read on demand only, folded behind its title. */
export function renderFold(title: string, inside: Html | readonly Html[]): Html {
  return html`<details>
    <summary>${title}</summary>
    <div class="inside">${inside}</div>
  </details>`;
}

/** Renders a list of sentences or links without marks. */
export function renderPlainList(items: readonly (string | Html)[], kind: '' | 'small' = ''): Html {
  return html`<ul class="${kind === '' ? 'plain-list' : `plain-list ${kind}`}">
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}

/** Writes into each cell the name of its column, which a phone shows beside it: a row is a card there. */
function nameCells(row: Html, head: readonly (string | Html)[]): Html {
  let column = -1;
  const named = row[MARKUP].replaceAll(/<t[dh](?=[ >])/g, (cell) => {
    column += 1;
    const name = head[column];
    return typeof name === 'string' && column > 0 ? `${cell} data-name="${htmlText(name)}"` : cell;
  });
  return { [MARKUP]: named };
}

/**
 * Renders a table that scrolls in its own box; `label` is for screen readers, names of `head` that are no text are whole
 * `<th>` elements, `rows` are whole `<tr>` elements.
 */
export function renderDataTable(
  { label, kind = 'tight' }: { label: string; kind?: 'tight' | 'pairs' | 'heat matrix' | '' },
  head: readonly (string | Html)[],
  rows: readonly Html[],
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table class="${kind}">
      <thead>
        <tr>
          ${head.map(renderHeadCell)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => nameCells(row, head))}
      </tbody>
    </table>
  </div>`;
}

function renderHeadCell(name: string | Html): Html {
  if (typeof name !== 'string') return name;
  return name === '' ? html`<td></td>` : html`<th scope="col">${name}</th>`;
}

/** Renders a row whose first cell is its header. */
export function renderTableRow([first, ...cells]: readonly TemplateValue[]): Html {
  return html`<tr>
    <th scope="row">${first}</th>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`;
}

export function renderReportTable({ label, head, rows }: ReportTable, kind: 'tight' | '' = 'tight'): Html {
  return renderDataTable(
    { label, kind },
    head,
    rows.map(
      ([first = '', ...cells]) =>
        html`<tr>
          <th scope="row">${renderCell(first)}</th>
          ${cells.map(renderTableCell)}
        </tr>`,
    ),
  );
}

/** Renders a cell; text of unknown origin may be long and gets a wide cell. */
function renderTableCell(cell: TableCell): Html {
  const isText = typeof cell === 'object' && 'text' in cell;
  return isText ? html`<td class="wide">${cell.text}</td>` : html`<td>${renderCell(cell)}</td>`;
}

function renderCell(cell: TableCell): TemplateValue {
  if (typeof cell !== 'object') return cell;
  if ('text' in cell) return cell.text;
  if ('code' in cell) return html`<code>${cell.code}</code>`;
  if ('strong' in cell) return html`<strong>${cell.strong}</strong>`;
  if ('pill' in cell) return html`<span class="pill ${cell.tone}">${cell.pill}</span>`;
  const href = relativeHref(cell.path);
  return href === undefined ? cell.link : html`<a href="${href}">${cell.link}</a>`;
}
