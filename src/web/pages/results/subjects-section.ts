/** Several subjects on the same samples: a row for each, and what the paired tests say of every two. */
import { html, type Html, table } from '../../../report/html/html.ts';
import { pairText } from '../../../report/run/subjects-markdown.ts';
import { intervalText, usd } from '../../../report/text/number-format.ts';
import { percent } from '../../../scenario/percent.ts';
import type { Compared } from '../../../scenario/statistics/compare-subjects.ts';

export function subjectsSection({ subjects, pairs }: Compared): Html {
  return html`<section class="card" id="subjects">
    <h2>The subjects</h2>
    ${table(
      { label: 'Subjects' },
      ['subject', 'samples that pass', 'rate', '95 % interval', 'trials that pass', 'unscored', 'cost', 'target'],
      subjects.map(
        (row) =>
          html`<tr>
            <th scope="row">${row.name}</th>
            <td>${row.passed} of ${row.total}</td>
            <td>${percent(row.successRate)}</td>
            <td>${intervalText(row.interval)}</td>
            <td>${percent(row.passAtOne)}</td>
            <td>${row.unscored}</td>
            <td>${usd(row.costUsd)}</td>
            <td>${row.met ? 'met' : html`<span class="pill warn">not met</span>`}</td>
          </tr>`,
      ),
    )}
    <h3>Sample by sample, two and two</h3>
    <ul class="plain-list">
      ${pairs.map((pair) => html`<li>${pairText(pair)}</li>`)}
    </ul>
    <p class="soft small">A paired test that is exact; p is corrected for the number of pairs.</p>
  </section>`;
}
