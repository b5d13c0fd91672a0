/** The case table of a design: which cases each rule speaks of, what it demands of them, and what is wrong with that. */
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { casesText, reachedText } from '../gate/review-texts.ts';
import { html, type Html, table } from './html.ts';

type Cases = NonNullable<ReviewPack['cases']>;

/** The whole table: which cases each rule speaks of, what it demands, and what no sample reaches. */
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
  return html`<section class="card" id="cases">
    <h2>Cases: ${casesText(cases)}</h2>
    ${cases.findings.map(({ kind, text }) => html`<p><span class="pill ${kind === 'subsumed' ? 'plain' : 'bad'}">${kind}</span> ${text}</p>`)}
    ${table({ label: 'Cases', kind: '' }, ['rule', 'when', 'demands', 'goes before'], rows)}
    <p class="small soft">${reachedText(cases) ?? 'No sample was made yet.'}</p>
    ${
      missing.length === 0
        ? undefined
        : html`<details>
            <summary>Cases without a sample</summary>
            <ul class="plain-list">
              ${missing.map((one) => html`<li>${one}</li>`)}
            </ul>
          </details>`
    }
  </section>`;
}
