/** Several subjects on the same samples: a row for each, and what the paired tests say of every two. */
import { html, type Html, renderReportTable } from '../../../report/html/html.ts';
import { pairText, subjectsTable } from '../../../report/run/subjects-markdown.ts';
import type { Compared } from '../../../scenario/statistics/compare-subjects.ts';

export function subjectsSection({ subjects, pairs }: Compared): Html {
  return html`<section class="card" id="subjects">
    <h2>The subjects</h2>
    ${renderReportTable(subjectsTable(subjects))}
    <h3>Sample by sample, two and two</h3>
    <ul class="plain-list">
      ${pairs.map((pair) => html`<li>${pairText(pair)}</li>`)}
    </ul>
    <p class="soft small">A paired test that is exact; p is corrected for the number of pairs.</p>
  </section>`;
}
