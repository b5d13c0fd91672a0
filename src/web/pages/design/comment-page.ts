/** A comment on one place of a design: the place, a field, and the way back to where the reader was. */
import { html, type Html } from '../../../report/html/html.ts';
import { gateHref } from '../page-links.ts';
import { renderPageHeader, renderAlert } from '../layout.ts';
import { textArea } from '../text-area.ts';

export type CommentPage = {
  key: string;
  gate: string;
  title: string;
  anchor: string;
  /** The text of that place. */
  place: string;
  text: string;
  /** Where the reader came from: the decision, or the design. */
  from: CommentFrom;
  form: string;
  fault?: string | undefined;
};

type GatePlace = Pick<CommentPage, 'key' | 'gate'>;

export type CommentFrom = 'gate' | 'design';

export function commentPage({ key, gate, title, anchor, place, text, from, form, fault }: CommentPage): Html {
  const back = backHref({ key, gate }, { from, anchor });
  const meta = html`<span>${title}</span><a href="${back}">Back without a comment</a>`;
  return html`${renderPageHeader({ brand: gate, title: `Comment on ${anchor}` }, meta)}
    ${fault === undefined ? undefined : renderAlert('bad', 'The comment was not saved.', fault)}
    <form method="post" action="${gateHref(key, gate)}/comment">
      <section class="card">
        <pre tabindex="0">${place}</pre>
        <p><label for="text">Your comment</label></p>
        <input type="hidden" name="form" value="${form}" />
        <input type="hidden" name="on" value="${anchor}" />
        <input type="hidden" name="from" value="${from}" />
        ${textArea(html`id="text" name="text" rows="4" maxlength="2000" autofocus`, text)}
        <p><button class="yes">Keep the comment</button></p>
        <p class="small soft">
          It goes with your answer, whichever it is; an empty text takes it away. Until then only you see it.
        </p>
      </section>
    </form>`;
}

export function commentHref({ key, gate }: GatePlace, anchor: string, from: CommentFrom): string {
  return `${gateHref(key, gate)}/comment?on=${encodeURIComponent(anchor)}${from === 'gate' ? '' : `&from=${from}`}`;
}

export function backHref({ key, gate }: GatePlace, { from, anchor }: Pick<CommentPage, 'from' | 'anchor'>): string {
  const at = placeId(anchor);
  return from === 'gate' ? `${gateHref(key, gate)}?rows=all#${at}` : `${gateHref(key, gate)}/design#${at}`;
}

/** The id of a rule's row or of a line of the diff; quoted words lead to their rule or to the page. */
export function placeId(anchor: string): string {
  const [, rule, line] = /^(R\d+)|^([^\s:]+:\d+)$/.exec(anchor) ?? [];
  return rule ?? line?.replace(/[^a-z0-9]+/gi, '-') ?? 'diff';
}
