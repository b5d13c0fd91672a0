/** A model's Markdown as plain paragraphs, headings, lists and tables: no links, no images, no markup of its own. */
import { html, type Html, renderDataTable, renderPlainList } from '../../../report/html/html.ts';

export function renderProse(text: string): Html {
  const blocks = text.replaceAll('\r\n', '\n').split(/\n{2,}/);
  return html`<div class="prose">${blocks.map((block) => renderBlock(block.trim()))}</div>`;
}

function renderBlock(block: string): Html {
  if (block === '') return html``;
  const [first = '', ...rest] = block.split('\n');
  if (/^#{1,6} /.test(first)) {
    const heading = html`<h3>${first.replace(/^#+ /, '')}</h3>`;
    return rest.length === 0 ? heading : html`${heading}${renderBlock(rest.join('\n').trim())}`;
  }
  const lines = block.split('\n');
  if (/^\s*([-*]|\d+\.) /.test(first))
    return renderPlainList(splitItems(lines).map((item) => html`${renderSpans(item)}`));
  const begins = first.startsWith('```') ? -1 : findTableStart(lines);
  if (begins === 0) return renderTable(lines);
  if (begins > 0) return html`${renderBlock(lines.slice(0, begins).join('\n'))}${renderTable(lines.slice(begins))}`;
  if (/^(```|\|)/.test(first)) return html`<pre>${block}</pre>`;
  return html`<p>${renderSpans(lines.join(' '))}</p>`;
}

/** A wider table could not be read, and every row is padded to the number of columns. */
const MOST_COLUMNS = 30;

const isRow = (line: string): boolean => line.trimStart().startsWith('|');

/** Returns the index of a table's head, followed by a rule line and only rows; -1 when there is no table. */
function findTableStart(lines: readonly string[]): number {
  const begins = lines.findIndex((line, index) => isRow(line) && isRule(lines[index + 1] ?? ''));
  return begins >= 0 && lines.slice(begins).every(isRow) ? begins : -1;
}

function isRule(line: string): boolean {
  if (!isRow(line)) return false;
  const cells = splitCells(line);
  return cells.length <= MOST_COLUMNS && cells.every((cell) => /^:?-{2,}:?$/.test(cell));
}

function renderTable([head = '', _rule, ...rows]: readonly string[]): Html {
  const names = splitCells(head).slice(0, MOST_COLUMNS);
  const row = (line: string) => {
    const cells = splitCells(line);
    return html`<tr>
      ${names.map((_, index) => html`<td>${renderSpans(cells[index] ?? '')}</td>`)}
    </tr>`;
  };
  return renderDataTable({ label: names.join(', ') || 'Table', kind: '' }, names, rows.map(row));
}

/** A bar after a backslash is text. */
function splitCells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
}

/** A line that starts no item continues the previous one. */
function splitItems(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const begun = /^\s*(?:[-*]|\d+\.) (.*)$/.exec(line)?.[1];
    if (begun !== undefined || items.length === 0) items.push(begun ?? line);
    else items[items.length - 1] = `${items.at(-1) ?? ''} ${line.trim()}`;
  }
  return items;
}

function renderSpans(text: string): Html[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${renderStrong(part)}`));
}

function renderStrong(text: string): Html[] {
  return text.split('**').map((part, index, all) => {
    const isPair = index % 2 === 1 && index < all.length - 1;
    return isPair ? html`<strong>${part}</strong>` : html`${index % 2 === 1 ? `**${part}` : part}`;
  });
}
