/** A unified diff as lines, marked by sign and colour, on which people can comment. */
import { toQuotableText } from '../../../gate/rules/comment-parts.ts';
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { placeId } from './comment-page.ts';
import { diffLines, type DiffLine } from './diff-lines.ts';
import { draftNote, earlierComments } from './earlier-comments.ts';

/** Maximum lines shown: more would not be read, and the page would be too heavy. */
const MOST_LINES = 1200;
/** Lines are clipped, because a single line may be a whole file. */
const MOST_CHARS = 2000;

/** Comments on the lines, and the address for adding one. */
export type DiffComments = {
  /** Undefined when comments are closed. */
  href: ((anchor: string) => string) | undefined;
  drafts: ReadonlyMap<string, string>;
  /** Comments of the round that the diff starts from, by the line that they refer to. */
  before: ReadonlyMap<string, ReviewPack['comments']>;
};

export function diffView(diff: string, talk?: DiffComments): Html {
  const lines = diffLines(diff);
  const left = lines.length - MOST_LINES;
  return html`<div class="diff" role="region" aria-label="Difference line by line" tabindex="0">
      ${lines.slice(0, MOST_LINES).map((line) => (talk === undefined ? renderPlainLine(line) : renderCommentLine(line, talk)))}
    </div>
    ${left > 0 ? html`<p class="soft">${left} more lines are not shown; the rule-level changes above are whole, and the files are in the run folder.</p>` : undefined}`;
}

const CLASSES: Readonly<Record<DiffLine['kind'], string>> = {
  ...{ file: 'f', hunk: 'h', added: 'a', removed: 'd', same: 'c', note: 'h' },
};

const renderPlainLine = (line: DiffLine): Html => html`<div class="${CLASSES[line.kind]}">${clipLine(line)}</div>`;

function renderCommentLine(line: DiffLine, { href, drafts, before }: DiffComments): Html {
  const anchor = findLineAnchor(line);
  if (anchor === undefined) return renderPlainLine(line);
  const earlier = line.old === undefined ? [] : (before.get(`${line.file}:${line.old}`) ?? []);
  const mine = drafts.get(anchor);
  const link =
    href === undefined
      ? undefined
      : html`<a class="say" href="${href(anchor)}" aria-label="Comment on ${anchor}" title="Comment on this line"
          >✎</a
        >`;
  const notes = html`${earlierComments(earlier)}${mine === undefined || href === undefined ? undefined : draftNote(mine, href(anchor))}`;
  const row = line.kind === 'same' ? undefined : html`data-row tabindex="-1"`;
  // A removed line has no number in this design, so the comment refers to its words.
  const id = line.kind === 'removed' ? undefined : html`id="${placeId(anchor)}"`;
  return html`<div class="${CLASSES[line.kind]}" ${row} ${id}>${clipLine(line)}${link}</div>
    ${notes}`;
}

function findLineAnchor({ kind, file, text, now }: DiffLine): string | undefined {
  if (now !== undefined) return `${file}:${now}`;
  const words = toQuotableText(text.slice(1));
  return kind === 'removed' && words !== '' ? `${file} removed "${words}"` : undefined;
}

function clipLine({ text }: DiffLine): string {
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS).toWellFormed()}… (${text.length} characters)` : text;
}
