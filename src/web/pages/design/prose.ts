/** A model's Markdown as plain paragraphs, headings, lists and tables: no links, no images, no markup of its own. */
import { html, type Html, table } from '../../../report/html/html.ts';

export function prose(text: string): Html {
  const blocks = text.replaceAll('\r\n', '\n').split(/\n{2,}/);
  return html`<div class="prose">${blocks.map((block) => blockOf(block.trim()))}</div>`;
}

function blockOf(block: string): Html {
  if (block === '') return html``;
  const [first = '', ...rest] = block.split('\n');
  if (/^#{1,6} /.test(first)) {
    const heading = html`<h3>${first.replace(/^#+ /, '')}</h3>`;
    return rest.length === 0 ? heading : html`${heading}${blockOf(rest.join('\n').trim())}`;
  }
  const lines = block.split('\n');
  if (/^\s*([-*]|\d+\.) /.test(first))
    return html`<ul class="plain-list">
      ${itemsOf(lines).map((item) => html`<li>${spans(item)}</li>`)}
    </ul>`;
  const begins = first.startsWith('```') ? -1 : tableBegin(lines);
  if (begins === 0) return tableOf(lines);
  if (begins > 0) return html`${blockOf(lines.slice(0, begins).join('\n'))}${tableOf(lines.slice(begins))}`;
  if (/^(```|\|)/.test(first)) return html`<pre>${block}</pre>`;
  return html`<p>${spans(lines.join(' '))}</p>`;
}

/** More would be no table that a person reads, and each row has them all. */
const MOST_COLUMNS = 30;

const isRow = (line: string): boolean => line.trimStart().startsWith('|');

/** Where a head and the line under it stand, with nothing but rows after them; -1 where no table is. */
function tableBegin(lines: readonly string[]): number {
  const begins = lines.findIndex((line, index) => isRow(line) && isRule(lines[index + 1] ?? ''));
  return begins >= 0 && lines.slice(begins).every(isRow) ? begins : -1;
}

function isRule(line: string): boolean {
  if (!isRow(line)) return false;
  const cells = cellsOf(line);
  return cells.length <= MOST_COLUMNS && cells.every((cell) => /^:?-{2,}:?$/.test(cell));
}

function tableOf([head = '', _rule, ...rows]: readonly string[]): Html {
  const names = cellsOf(head).slice(0, MOST_COLUMNS);
  const row = (line: string) => {
    const cells = cellsOf(line);
    return html`<tr>
      ${names.map((_, index) => html`<td>${spans(cells[index] ?? '')}</td>`)}
    </tr>`;
  };
  return table({ label: names.join(', ') || 'Table', kind: '' }, names, rows.map(row));
}

/** A bar behind a backslash is text. */
function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
}

/** A line that begins no item goes on with the one before. */
function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const begun = /^\s*(?:[-*]|\d+\.) (.*)$/.exec(line)?.[1];
    if (begun !== undefined || items.length === 0) items.push(begun ?? line);
    else items[items.length - 1] = `${items.at(-1) ?? ''} ${line.trim()}`;
  }
  return items;
}

function spans(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${strong(part)}`));
}

function strong(text: string): Html[] {
  return text.split('**').map((part, index, all) => {
    const isPair = index % 2 === 1 && index < all.length - 1;
    return isPair ? html`<strong>${part}</strong>` : html`${index % 2 === 1 ? `**${part}` : part}`;
  });
}
