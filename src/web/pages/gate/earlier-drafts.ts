/** A reviewer's unsent comments on an earlier design, shown once more to be taken over or dropped. */
import type { StoredDraft } from '../../../ports/drafts.ts';
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { draftFields, editedFile, writtenText, type AnswerDraft } from '../../read/answer-drafts.ts';
import { encodeField } from '../../../report/text/invisible-marks.ts';
import { gateHref } from '../page-links.ts';

export function earlierSection(
  key: string,
  { gate, round }: Pick<ReviewPack, 'gate' | 'round'>,
  earlier: readonly StoredDraft[],
): Html | undefined {
  if (earlier.length === 0) return undefined;
  const href = `${gateHref(key, gate)}/earlier#answer-title`;
  return html`<section class="card" aria-labelledby="earlier-title">
    <h2 id="earlier-title">Written before, never sent</h2>
    <p class="soft small">
      About an earlier design. Only you see it, and it does not go with your answer unless you take it over; once you
      have answered, it is gone.
    </p>
    ${earlier.map(
      (one) =>
        html`<div class="said mine">
          ${writtenHtml(one)}
          <p class="small soft"><span class="pill plain">${whenText(one.gate, gate, round)}</span></p>
        </div>`,
    )}
    <p class="choices">
      <button name="earlier" value="take" data-does="earlier" formaction="${href}">Take it over</button>
      <button name="earlier" value="drop" data-does="earlier" formaction="${href}">Drop it</button>
    </p>
  </section>`;
}

/** The text of a whole file is folded. */
function writtenHtml({ field, text }: Pick<StoredDraft, 'field' | 'text'>): Html {
  const file = editedFile(field);
  if (file === undefined) return html`<p class="quote">${writtenText({ field, text })}</p>`;
  return html`<details>
    <summary>An edit of ${file}</summary>
    <pre class="inside" tabindex="0">${encodeField(text)}</pre>
  </details>`;
}

function whenText(then: string, now: string, round: number): string {
  if (then === now) return 'before this design was edited';
  const written = Number(/\d+$/.exec(then)?.[0]);
  return written === round - 1 ? 'from the previous round' : `from round ${written}`;
}

/** Shows the unsent draft for a gate that another reviewer has answered since then. */
export function unsentSection(draft: AnswerDraft): Html | undefined {
  const fields = [...draftFields(draft)].filter(([, text]) => text !== '');
  if (fields.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="unsent-title">
    <h2 id="unsent-title">Comments of yours were not sent before this gate was answered</h2>
    <p class="soft small">Only you see them. Should another design come, they are offered there.</p>
    ${fields.map(
      ([field, text]) => html`<div class="said mine"><p class="quote">${writtenText({ field, text })}</p></div>`,
    )}
  </section>`;
}
