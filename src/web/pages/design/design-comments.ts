/** Comments on places in a design: earlier ones, unsent ones, and the form for a new one. */
import { formatCount } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import type { GateView } from '../../read/read-gate.ts';
import { diffLines } from './diff-lines.ts';
import type { DiffComments } from './diff-view.ts';
import { gateHref } from '../page-links.ts';
import { renderAlert } from '../layout.ts';
import { draftNote, earlierComments } from './earlier-comments.ts';

type DraftComments = ReadonlyMap<string, string> | undefined;

/** Only comments on the design that the diff starts from are used; for others the line numbers would be wrong. */
export function diffComments(
  { pack, since: { round } }: GateView,
  drafts: DraftComments,
  href: DiffComments['href'],
): DiffComments {
  const isOnLine = (anchor: string | undefined) => anchor !== undefined && !/^R\d/.test(anchor);
  const own = pack.comments.filter(({ anchor, gate }) => isOnLine(anchor) && gate === `HITL-1.r${round}`);
  const before = Map.groupBy(own, ({ anchor = '' }) => anchor);
  return { href, drafts: drafts ?? new Map(), before };
}

/** Comments on lines that the diff does not show, mostly unchanged ones. */
export function hiddenComments({ before }: DiffComments, diff: string): Html | undefined {
  const shown = new Set(diffLines(diff).map(({ file, old }) => `${file}:${old}`));
  const others = [...before].filter(([anchor]) => !shown.has(anchor));
  if (others.length === 0) return undefined;
  return html`<section class="card">
    <h2>Earlier comments on lines that are not in this diff</h2>
    ${others.map(
      ([anchor, comments]) =>
        html`<p><code>${anchor}</code></p>
          ${earlierComments(comments)}`,
    )}
  </section>`;
}

export function renderPendingComments(key: string, gate: string, drafts: DraftComments): Html | undefined {
  if (drafts === undefined || drafts.size === 0) return undefined;
  const text = `${formatCount(drafts.size, 'comment')} of yours ${drafts.size === 1 ? 'goes' : 'go'} with your answer.`;
  return renderAlert('plain', text, html`<a href="${gateHref(key, gate)}#answer-title">Answer now</a>`);
}

export function ruleComment(id: string, drafts: DraftComments, href: (anchor: string) => string): Html {
  const mine = [...(drafts ?? [])].filter(([anchor]) => anchor === id || anchor.startsWith(`${id} "`));
  return html`${mine.map(([anchor, text]) => draftNote(text, href(anchor)))}
    <p class="small"><a class="say" href="${href(id)}">Comment on ${id}</a></p>`;
}
