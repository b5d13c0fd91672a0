/** The runs of a batch as a table whose cells can be updated by the batch's news. */
import { html, type Html, renderDataTable } from '../../../report/html/html.ts';
import type { RowNews } from '../../read/batch-rows.ts';
import { gateHref, runHref } from '../page-links.ts';

/** `key` names the run in addresses; it is undefined until the run's folder exists. */
export type TableRow = { key: string | undefined; scenario: string; why: string; news: RowNews };

const HEAD = ['run', 'state', 'at', 'rate', 'passed', '95 % interval', 'failed by layer', 'cost'];

export function batchTable(rows: readonly TableRow[]): Html {
  const scenarios = new Set(rows.map(({ scenario }) => scenario)).size;
  // A column without content in every row is left out, because the table must fit a screen.
  const named = scenarios > 1;
  const withReasons = rows.some(({ why, news }) => news.gate === '' && why !== '');
  const [first = '', ...more] = HEAD;
  const head = [first, ...(named ? ['scenario'] : []), ...more, ...(withReasons ? ['why'] : [])];
  return renderDataTable(
    { label: 'Runs of the batch' },
    head,
    rows.map((row) => renderBatchRow(row, named, withReasons)),
  );
}

function renderBatchRow(
  { key, scenario, why, news: { run, tone, gate, cells } }: TableRow,
  named: boolean,
  withReasons: boolean,
): Html {
  const cell = (name: string) => html`<td data-cell="${name}">${cells[name] ?? ''}</td>`;
  const decide =
    gate === '' || key === undefined ? undefined : html` <a href="${gateHref(key, gate)}">decide ${gate}</a>`;
  return html`<tr data-row tabindex="-1" data-run="${run}">
    <th scope="row">${key === undefined ? run : html`<a class="proof" href="${runHref(key)}">${run}</a>`}</th>
    ${named ? html`<td>${scenario}</td>` : undefined}
    <td><span class="pill ${tone}" data-cell="status">${cells['status'] ?? ''}</span>${decide}</td>
    ${cell('at')}${cell('rate')}${cell('passed')}${cell('interval')}${cell('failed')}${cell('cost')}
    ${withReasons ? html`<td class="small soft">${gate === '' ? why : ''}</td>` : undefined}
  </tr>`;
}
