/** Renders the case table of a design: the cases of each rule, its demands, and the faults found in the table. */
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { casesText, reachedText } from '../gate/review-texts.ts';
import { html, type Html, renderDataTable, renderPlainList } from './html.ts';

type Cases = NonNullable<ReviewPack['cases']>;

/** Renders the whole table: the cases of each rule, its demands, and the cases that no sample reaches. */
export function casesSection(cases: Cases): Html {
  const rows = cases.rules.flatMap(({ id, lines, over }) =>
    lines.map(
      ({ when, demands }, index) =>
        html`<tr>
          <th scope="row">${index === 0 ? id : html`<span class="sr">${id}</span>`}</th>
          <td>${when}</td>
          <td>${demands}</td>
          <td>${index === 0 ? over.join(', ') : ''}</td>
        </tr>`,
    ),
  );
  const missing = [...(cases.reached?.missingBoundaries ?? []), ...(cases.reached?.missingPairs ?? [])];
  return html`<section class="card screen-only" id="cases">
    <h2>Cases: ${casesText(cases)}</h2>
    ${cases.findings.map(({ kind, text }) => html`<p><span class="pill ${kind === 'subsumed' ? 'plain' : 'bad'}">${kind}</span> ${text}</p>`)}
    ${renderDataTable({ label: 'Cases', kind: '' }, ['rule', 'when', 'demands', 'goes before'], rows)}
    ${
      cases.readings === undefined
        ? undefined
        : html`<h3>What counts as done</h3>
            ${renderPlainList(cases.readings, 'small')}`
    }
    <p class="small soft">${reachedText(cases) ?? 'No sample was made yet.'}</p>
    ${
      missing.length === 0
        ? undefined
        : html`<details>
            <summary>Cases without a sample</summary>
            ${renderPlainList(missing)}
          </details>`
    }
  </section>`;
}
