/** All runs of the project, newest first, by scenario. */
import { percent } from '../../../scenario/percent.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { table } from '../../../report/html/table.ts';
import { toneOf } from '../../../report/run/verdict.ts';
import type { RunRow } from '../../read/run-rows.ts';
import { runHref } from '../evidence.ts';
import { momentText } from '../time-texts.ts';

const HEAD = ['run', 'state', 'rate', 'round', 'iteration', 'started'];

export function runsPage(rows: readonly RunRow[], more: number): Html {
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
  return html`<header>
      <p class="brand">All scenarios</p>
      <h1>${rows.length === 0 ? 'No runs yet' : 'Runs'}</h1>
      ${rows.length === 0 ? html`<p class="soft"><code>tandem run &lt;scenario&gt;</code> starts one.</p>` : undefined}
    </header>
    ${scenarios.map(
      (scenario) =>
        html`<section class="card">
          <h2>${scenario}</h2>
          ${table({ label: `Runs of ${scenario}` }, HEAD, rows.filter((row) => row.scenario === scenario).map(rowOf))}
        </section>`,
    )}
    ${more > 0 ? html`<p class="soft">${more} older runs are not listed; tandem status lists them.</p>` : undefined}`;
}

function rowOf({ key, status, round, iteration, rate, startedAt }: RunRow): Html {
  return html`<tr>
    <th scope="row"><a href="${runHref(key)}">${key}</a></th>
    <td><span class="pill ${toneOf(status)}">${status.replaceAll('_', ' ')}</span></td>
    <td>${rate === undefined ? '' : percent(rate)}</td>
    <td>r${round}</td>
    <td>${iteration === 0 ? '' : `i${iteration}`}</td>
    <td>${startedAt === undefined ? '' : momentText(startedAt)}</td>
  </tr>`;
}
