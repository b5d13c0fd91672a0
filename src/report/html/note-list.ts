/** The doubts about a number, next to it: each note with its findings, which link to their traces. */
import { html, type Html } from './html.ts';
import type { ReportNote } from '../run/run-outcome.ts';

/** `link` turns the place of a finding into a link. */
export function noteList(
  notes: readonly ReportNote[],
  link: (item: NonNullable<ReportNote['items']>[number]) => Html = ({ text }) => html`${text}`,
): Html[] {
  return notes.map(
    ({ tone, title, text, items = [] }) =>
      html`<div class="note ${tone}" role="note">
        <p><strong>${title}</strong> <span>${text}</span></p>
        ${
          items.length === 0
            ? undefined
            : html`<ul>
                ${items.map((item) => html`<li>${link(item)}</li>`)}
              </ul>`
        }
      </div>`,
  );
}
