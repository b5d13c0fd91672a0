/** One column of the table in detail: a row for each sample, a cell for each of its trials. */
import { html, type Html } from '../../../report/html/html.ts';
import { formatFilterQuery, type Column, type Filter, type Row } from '../../read/results/matrix.ts';
import { sampleHref, trialHref } from '../page-links.ts';
import { describeCell } from './describe-cell.ts';

export type TrialGrid = { key: string; column: Column; filter: Filter };

export function trialGrid({ key, column, filter }: TrialGrid, rows: readonly Row[]): Html {
  const most = Math.max(...rows.map(({ cells }) => cells[0]?.each?.length ?? 1));
  const numbers = Array.from({ length: most }, (_, index) => index + 1);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Samples by trials of ${column.short}">
    <table class="heat matrix">
      <thead>
        <tr>
          <th scope="col"><div class="sr">sample</div></th>
          ${numbers.map((number) => html`<th scope="col">trial ${number}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => renderTrialsRow(row, { key, column, numbers, query: formatFilterQuery(filter) }))}
      </tbody>
    </table>
  </div>`;
}

type TrialRowContext = { key: string; column: Column; numbers: readonly number[]; query: string };

function renderTrialsRow({ id, title, cells: [cell] }: Row, { key, column, numbers, query }: TrialRowContext): Html {
  const each = cell?.each ?? (cell === undefined ? [] : [{ ...cell, trial: 1 }]);
  const worst = each.find(({ outcome }) => outcome === 'fail') ?? each[0];
  return html`<tr data-row tabindex="-1">
    <th scope="row"><a href="${sampleHref(key, column.iteration, id)}${query}">${title}</a></th>
    ${numbers.map((number) => {
      const one = each.find(({ trial }) => trial === number);
      if (one === undefined) return html`<td class="none">–</td>`;
      const [tone, sign, words] = describeCell(one);
      const href = trialHref(key, column.iteration, { sample: id, trial: number });
      return html`<td class="${tone}">
        <a class="${one === worst ? 'proof' : ''}" href="${href}" title="${words}">${sign}</a>
      </td>`;
    })}
  </tr>`;
}
