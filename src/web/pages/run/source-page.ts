/** A file of a run, such as a source of its scenario or the code of a checker: plain lines, each with a place to link to. */
import { html, type Html } from '../../../report/html/html.ts';
import { resultsHref, runHref } from '../evidence.ts';

/** Nobody reads more on one page; the file lies in the run folder. */
const MOST_LINES = 5000;

export type SourcePage = {
  key: string;
  path: string;
  text: string;
  /** What kind of file it is, and since when the run has it. */
  kind: string;
  about: string;
  /** Where it lies in the run folder. */
  place: string;
};

export function sourcePage({ key, path, text, kind, about, place }: SourcePage): Html {
  const lines = text.replace(/\n$/, '').split('\n');
  return html`<header>
      <p class="brand">${kind}</p>
      <h1>${path}</h1>
      <p class="meta">
        <span
          >${about} ·
          ${kind === 'component' ? html`results of <a href="${resultsHref(key)}">${key}</a>` : html`run <a href="${runHref(key)}">${key}</a>`}</span
        >
      </p>
    </header>
    <section class="card">
      <ol class="source">
        ${lines.slice(0, MOST_LINES).map((line, index) => html`<li id="L${index + 1}">${line}</li>`)}
      </ol>
      ${lines.length > MOST_LINES ? html`<p>${lines.length - MOST_LINES} more lines are in ${place} of the run folder.</p>` : undefined}
    </section>`;
}
