/** A unified diff as lines that tell by sign and colour what came and what went. */
import { html, type Html } from '../../report/html/html.ts';

/** More lines than this nobody reads, and the page would be too heavy. */
const MOST_LINES = 1200;
/** A line may be a whole file. */
const MOST_CHARS = 2000;

export function diffView(diff: string): Html {
  const lines = diff
    .split('\n')
    .filter((line, index, all) => !/^={5,}$/.test(line) && (line !== '' || index < all.length - 1));
  const left = lines.length - MOST_LINES;
  return html`<div class="diff" role="region" aria-label="Difference line by line" tabindex="0">
      ${lines.slice(0, MOST_LINES).map(diffLine)}
    </div>
    ${left > 0 ? html`<p class="soft">${left} more lines are not shown; the rule-level changes above are whole, and the files lie in the run folder.</p>` : undefined}`;
}

function diffLine(line: string): Html {
  const text =
    line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS).toWellFormed()}… (${line.length} characters)` : line;
  return html`<div class="${classOf(line)}">${text}</div>`;
}

function classOf(line: string): string {
  if (/^(---|\+\+\+) /.test(line)) return 'f';
  if (line.startsWith('@@')) return 'h';
  if (line.startsWith('+')) return 'a';
  return line.startsWith('-') ? 'd' : 'c';
}
