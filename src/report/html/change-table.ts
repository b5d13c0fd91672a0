/** Beneath the curve: what moved the rate from each iteration to the next, and what was changed in between. */
import { changedText, changeRows, points } from '../run/rate-change.ts';
import type { IterationSummary } from '../run/run-summary.ts';
import { clip } from '../text/sanitise.ts';
import { html, type Html, table } from './html.ts';

export function changeTable(iterations: readonly IterationSummary[]): Html | undefined {
  const rows = changeRows(iterations);
  if (rows.length === 0) return undefined;
  const head = ['', 'points', 'by repairs', 'by the subject', 'by one of both', 'changed', 'notes of Execute'];
  return html`<h3>What moved the rate, in percentage points</h3>
    ${table(
      { label: 'What moved the rate' },
      head,
      rows.map(({ from, to, whole, change, notes }) => {
        const [repairs, subject, either, changed] =
          change === undefined
            ? ['not recorded', 'not recorded', 'not recorded', '']
            : [points(change.evaluation), points(change.subject), points(change.either), changedText(change, 6)];
        return html`<tr>
          <th scope="row">i${from} → i${to}</th>
          <td><strong>${points(whole)}</strong></td>
          <td>${repairs}</td>
          <td>${subject}</td>
          <td>${either}</td>
          <td>${changed}</td>
          <td>${clip(notes.join(' '), 400)}</td>
        </tr>`;
      }),
    )}`;
}
