/** The table of results: a row for each sample, a cell for each iteration or subject, or for each trial of one column. */
import { html, type Html, renderDataTable } from '../../../report/html/html.ts';
import { passedText } from '../../../report/run/run-outcome.ts';
import { formatPercent } from '../../../scenario/percent.ts';
import {
  formatFilterQuery,
  shownCells,
  type MatrixCell,
  type Column,
  type Filter,
  type Matrix,
  type Row,
} from '../../read/results/matrix.ts';
import { sampleHref, trialHref } from '../page-links.ts';
import { describeCell } from './describe-cell.ts';

type GridInput = { key: string; filter: Filter };

export function sampleGrid({ key, matrix, filter }: GridInput & { matrix: Matrix }, rows: readonly Row[]): Html {
  const heads = matrix.columns.map(
    ({ short, round, rate, total, ...column }) =>
      html`<th scope="col" title="design r${round}, ${passedText(column)} of ${total} passed">
        ${short}<br /><small
          >${formatPercent(rate)}${column.passedRange === undefined ? undefined : ` · ${passedText(column)} of ${total}`}</small
        >
      </th>`,
  );
  return renderGrid({ label: 'Samples by columns', heads, rows }, (row) => {
    const shown = shownCells(row, matrix);
    const opened = shown.find(({ outcome }) => outcome !== 'pass') ?? shown.at(-1);
    const cells = row.cells.map((cell, index) => {
      const iteration = matrix.columns[index]?.iteration ?? 0;
      const href = `${sampleHref(key, iteration, row.id)}${formatFilterQuery(filter)}`;
      return renderCell(cell, href, { isOpened: cell === opened, column: matrix.columns[index]?.short });
    });
    const newest = matrix.columns[row.cells.findLastIndex((cell) => cell !== undefined)]?.iteration ?? 0;
    return { href: `${sampleHref(key, newest, row.id)}${formatFilterQuery(filter)}`, cells };
  });
}

export function trialGrid({ key, column, filter }: GridInput & { column: Column }, rows: readonly Row[]): Html {
  const most = Math.max(...rows.map(({ cells }) => cells[0]?.each?.length ?? 1));
  const numbers = Array.from({ length: most }, (_, index) => index + 1);
  const heads = numbers.map((number) => `trial ${number}`);
  return renderGrid({ label: `Samples by trials of ${column.short}`, heads, rows }, ({ id, cells: [cell] }) => {
    const each = cell?.each ?? (cell === undefined ? [] : [{ ...cell, trial: 1 }]);
    const worst = each.find(({ outcome }) => outcome === 'fail') ?? each[0];
    const cells = numbers.map((number) => {
      const one = each.find(({ trial }) => trial === number);
      const href = trialHref(key, column.iteration, { sample: id, trial: number });
      return renderCell(one, href, { isOpened: one === worst, column: heads[number - 1] });
    });
    return { href: `${sampleHref(key, column.iteration, id)}${formatFilterQuery(filter)}`, cells };
  });
}

const SAMPLE_HEAD = html`<th scope="col"><div class="sr">sample</div></th>`;

type Grid = { label: string; heads: readonly (string | Html)[]; rows: readonly Row[] };

function renderGrid(
  { label, heads, rows }: Grid,
  renderRow: (row: Row) => { href: string; cells: readonly Html[] },
): Html {
  const body = rows.map((row) => {
    const { href, cells } = renderRow(row);
    return html`<tr data-row tabindex="-1">
      <th scope="row" title="${row.category} · ${row.rules.join(', ')}"><a href="${href}">${row.title}</a></th>
      ${cells}
    </tr>`;
  });
  const columns = heads.map((head) => (typeof head === 'string' ? html`<th scope="col">${head}</th>` : head));
  return renderDataTable({ label, kind: 'heat matrix' }, [SAMPLE_HEAD, ...columns], body);
}

type CellInput = { isOpened: boolean; column: string | undefined };

/** The cell that the key `o` opens has a class of its own; `column` is shown where a phone shows no head. */
function renderCell(cell: MatrixCell | undefined, href: string, { isOpened, column = '' }: CellInput): Html {
  if (cell === undefined) return html`<td class="none" data-name="${column}">–</td>`;
  const [tone, sign, words] = describeCell(cell);
  const many = cell.trials > 1 ? html`<small>${cell.passed}/${cell.trials}</small>` : undefined;
  return html`<td class="${tone}" data-name="${column}">
    <a class="${isOpened ? 'proof' : ''}" href="${href}" title="${words}">${sign}${many}</a>
  </td>`;
}
