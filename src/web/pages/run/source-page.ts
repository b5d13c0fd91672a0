/** A file of a run, such as a source of its scenario or a checker's code: plain lines, each with a link anchor. */
import { html, type Html } from '../../../report/html/html.ts';
import { formatCount } from '../../../report/text/number-format.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import { renderPageHeader } from '../layout.ts';
import { resultsHref, runHref } from '../page-links.ts';

/** More lines are not shown on one page; the whole file is in the run folder. */
const MOST_LINES = 5000;
const MOST_CHARS = 1_000_000;

export type SourcePage = {
  key: string;
  path: string;
  text: string;
  /** The kind of file, and since when the run has it. */
  kind: string;
  about: string;
  /** The path of the file in the run folder. */
  place: string;
};

export function sourcePage({ key, path, text, kind, about, place }: SourcePage): Html {
  const lines = text.replace(/\n$/, '').split('\n');
  const shown = firstLines(lines);
  const [words, href] = kind === 'component' ? ['results of', resultsHref(key)] : ['run', runHref(key)];
  return html`${renderPageHeader({ brand: kind, title: path }, html`<span>${about} · ${words} <a href="${href}">${key}</a></span>`)}
    <section class="card">
      <ol class="source">
        ${shown.map((line, index) => html`<li id="L${index + 1}">${line}</li>`)}
      </ol>
      ${shown.length < lines.length ? html`<p>Not shown: ${formatCount(lines.length - shown.length, 'more line')}, in ${place} of the run folder.</p>` : undefined}
    </section>`;
}

/** A file of one line may be as long as a file of very many. */
function firstLines(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let left = MOST_CHARS;
  for (const line of lines.slice(0, MOST_LINES)) {
    if (left <= 0) break;
    shown.push(clipText(line, left));
    left -= line.length;
  }
  return shown;
}
