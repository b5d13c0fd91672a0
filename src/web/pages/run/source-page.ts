/** A file of a run, such as a source of its scenario or the code of a checker: plain lines, each with a place to link to. */
import { html, type Html } from '../../../report/html/html.ts';
import { count } from '../../../report/text/number-format.ts';
import { clip } from '../../../report/text/sanitise.ts';
import { resultsHref, runHref } from '../evidence.ts';

/** Nobody reads more on one page; the file lies in the run folder. */
const MOST_LINES = 5000;
const MOST_CHARS = 1_000_000;

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
  const shown = firstLines(lines);
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
        ${shown.map((line, index) => html`<li id="L${index + 1}">${line}</li>`)}
      </ol>
      ${shown.length < lines.length ? html`<p>Not shown: ${count(lines.length - shown.length, 'more line')}, in ${place} of the run folder.</p>` : undefined}
    </section>`;
}

/** A file of one line may be as long as a file of very many. */
function firstLines(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let left = MOST_CHARS;
  for (const line of lines.slice(0, MOST_LINES)) {
    if (left <= 0) break;
    shown.push(clip(line, left));
    left -= line.length;
  }
  return shown;
}
