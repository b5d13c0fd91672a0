/** A changed wording as one text, with what went and what came. */
import { wordChanges } from '../../gate/word-changes.ts';
import { html, type Html } from '../../report/html/html.ts';

export function changedWords(before: string | undefined, after: string | undefined): Html {
  if (before === undefined) return html`<p class="words">${lines(after ?? '')}</p>`;
  if (after === undefined) return html`<p class="words"><del>${lines(before)}</del></p>`;
  return html`<p class="words">
    ${wordChanges(before, after).map(({ kind, text }) => {
      if (kind === 'same') return html`${lines(text)}`;
      return kind === 'added' ? html`<ins>${lines(text)}</ins>` : html`<del>${lines(text)}</del>`;
    })}
  </p>`;
}

function lines(text: string): Html[] {
  return text.split('\n').map((line, index) => (index === 0 ? html`${line}` : html`<br />${line}`));
}
