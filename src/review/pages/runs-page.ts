/** All runs of the project, newest first, by scenario. */
import { percent } from '../../report/figures.ts';
import { html, type Html } from '../../report/html/html.ts';
import type { RunRow } from '../read/run-rows.ts';
import { runHref } from './evidence.ts';
import { momentText } from './figures.ts';

const TONES: Readonly<Record<string, string>> = {
  awaiting_approval: 'warn',
  succeeded: 'good',
  failed: 'bad',
  rejected: 'bad',
  errored: 'bad',
  unreadable: 'bad',
};

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
          <div class="scroll" tabindex="0" role="region" aria-label="Runs of ${scenario}">
            <table class="tight">
              <thead>
                <tr>
                  ${['run', 'state', 'rate', 'round', 'iteration', 'started'].map((name) => html`<th scope="col">${name}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${rows.filter((row) => row.scenario === scenario).map(rowOf)}
              </tbody>
            </table>
          </div>
        </section>`,
    )}
    ${more > 0 ? html`<p class="soft">${more} older runs are not listed; tandem status lists them.</p>` : undefined}`;
}

function rowOf({ key, status, round, iteration, rate, startedAt }: RunRow): Html {
  return html`<tr>
    <th scope="row"><a href="${runHref(key)}">${key}</a></th>
    <td><span class="pill ${TONES[status] ?? 'plain'}">${status.replaceAll('_', ' ')}</span></td>
    <td>${rate === undefined ? '' : percent(rate)}</td>
    <td>r${round}</td>
    <td>${iteration === 0 ? '' : `i${iteration}`}</td>
    <td>${startedAt === undefined ? '' : momentText(startedAt)}</td>
  </tr>`;
}
