/** Comments next to the place that they are about: those of earlier rounds with their outcome, and the reader's own unsent ones. */
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import { describeOutcome } from '../../../report/gate/review-texts.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { personText } from '../time-texts.ts';

type Comment = ReviewPack['comments'][number];

function outcomePill(outcome: Pick<Comment, 'addressed' | 'kept' | 'note'>): Html {
  const tone = outcome.note === true || outcome.kept === true ? 'plain' : outcome.addressed ? 'good' : 'warn';
  return html`<span class="pill ${tone}">${describeOutcome(outcome)}</span>`;
}

/** Comments without their anchors where these are shown next to them already. */
export function earlierComments(comments: readonly Comment[], isWhole = false): Html[] {
  return comments.map(
    ({ actor, gate, text, detail, anchor = '', ...outcome }) =>
      html`<div class="said">
        <p class="quote">“${!isWhole && text.startsWith(`${anchor}: `) ? text.slice(anchor.length + 2) : text}”</p>
        <p class="small soft">${outcomePill(outcome)} ${personText(actor)} at ${gate} · ${detail}</p>
      </div>`,
  );
}

/** Comments that point at a rule or at words of it. */
export function commentsOnRule({ comments }: Pick<ReviewPack, 'comments'>, rule: string): Comment[] {
  return comments.filter(({ anchor }) => anchor === rule || anchor?.startsWith(`${rule} "`) === true);
}

export function draftNote(text: string, href: string): Html {
  return html`<div class="said mine">
    <p class="quote">“${text}”</p>
    <p class="small soft">
      <span class="pill plain">not sent yet</span> goes with your answer · <a href="${href}">change</a>
    </p>
  </div>`;
}
