/** The rows that a reviewer goes through with j and k: each change, or on a first design each rule. */
import type { ReviewPack, RuleChange } from '../../../gate/rules/review-pack.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { coverageText, ruleMark } from '../../../report/gate/review-texts.ts';
import { quotable } from '../../../gate/rules/comment-parts.ts';
import { commentHref } from '../design/comment-page.ts';
import { evidenceList, gateHref } from '../evidence.ts';
import { commentsOnRule, earlierComments } from '../design/earlier-comments.ts';
import { textArea } from '../text-area.ts';
import { wordDiffHtml } from './word-diff.ts';

export type RowContext = {
  key: string;
  pack: ReviewPack;
  /** False when the gate does not wait, so that there is nothing to write. */
  writable: boolean;
  /** What was written and not sent yet, by anchor. */
  draft: ReadonlyMap<string, string>;
};

/** More than a person reads in a minute; the rest is one click away, so that the first paint never waits for it. */
export const MOST_ROWS = 50;

/** As many rows as the page begins with, and how many it leaves out; a row with a draft is never left out. */
export function shownRows<Row>(rows: readonly Row[], all: boolean): { rows: Row[]; left: number } {
  return all
    ? { rows: [...rows], left: 0 }
    : { rows: rows.slice(0, MOST_ROWS), left: Math.max(0, rows.length - MOST_ROWS) };
}

export function moreRows(left: number, what: string, { key, pack }: RowContext): Html | undefined {
  if (left === 0) return undefined;
  return html`<p class="more">
    ${left} more ${what} are not on this page yet.
    <a href="${gateHref(key, pack.gate)}?rows=all">Show all of them</a> before you decide.
  </p>`;
}

export function changeRows(changes: readonly RuleChange[], context: RowContext): Html[] {
  return changes.map(
    (change) =>
      html`<article class="row" data-row tabindex="-1" id="${change.id}">
        <h3>
          <span class="sign ${change.kind}" aria-hidden="true">${ruleMark(change)}</span
          ><span><span class="sr">${change.kind}: </span>${change.id} ${change.title}</span>
        </h3>
        ${wordDiffHtml(change.before, change.after, sayOn(change.id, context))}
        ${change.reason === undefined ? undefined : html`<p class="because"><strong>because</strong> ${change.reason}</p>`}
        ${evidenceList(context.key, change.evidence)}
        ${change.kind === 'removed' ? undefined : tested(change.id, context)}
        ${earlierComments(commentsOnRule(context.pack, change.id))}${commentField(change.id, context)}
      </article>`,
  );
}

export function formatRows(sentences: readonly string[]): Html[] {
  return sentences.map(
    (sentence, index) =>
      html`<article class="row" data-row tabindex="-1" id="format-${index + 1}">
        <h3><span class="sign changed" aria-hidden="true">~</span><span>Format</span></h3>
        <p class="words">${sentence}</p>
      </article>`,
  );
}

export function ruleRows(rules: ReviewPack['rules'], context: RowContext, asRows: boolean): Html[] {
  return rules.map(({ id, title, text, severity }) => {
    const inside = html`<h3>
        <span>${id} ${title}</span
        >${severity === 'must' ? undefined : html`<span class="pill plain">${severity}</span>`}
      </h3>
      <p class="words">${text}</p>
      ${tested(id, context)}`;
    if (!asRows) return html`<article class="row">${inside}</article>`;
    return html`<article class="row" data-row tabindex="-1" id="${id}">
      ${inside}${earlierComments(commentsOnRule(context.pack, id))}${commentField(id, context)}
    </article>`;
  });
}

/** A single letter that changed is no place to point at; its rule is. */
const LEAST_WORDS = 2;

function tested(id: string, { pack }: RowContext): Html | undefined {
  const covered = coverageText(pack, id);
  if (covered === undefined) return undefined;
  const pill = covered.noRefusal ? html` <span class="pill warn">no negative sample</span>` : undefined;
  return html`<p class="small soft">${covered.text}${pill}</p>`;
}

/** Folded until it is wanted; what is written here begins with the rule it is about. */
function commentField(id: string, { writable, draft }: RowContext): Html | undefined {
  if (!writable) return undefined;
  const text = draft.get(id) ?? '';
  const area = textArea(html`name="on.${id}" aria-label="Comment on ${id}" rows="2" maxlength="2000"`, text);
  const field = html`<summary>Comment on ${id}</summary>
    ${area}`;
  const quoted = [...draft].filter(([anchor]) => anchor.startsWith(`${id} "`));
  const fields = quoted.map(([anchor, comment]) => anchoredField(anchor, comment));
  return text === ''
    ? html`${fields}
        <details class="note-on">${field}</details>`
    : html`${fields}
        <details class="note-on" open>${field}</details>`;
}

/** A comment with a place of its own, as a field that goes with the answer. */
export function anchoredField(anchor: string, text: string): Html {
  return html`<div class="note-on">
    <p class="small">Comment on <code>${anchor}</code></p>
    ${textArea(html`name="on.${anchor}" aria-label="Comment on ${anchor}" rows="2" maxlength="2000"`, text)}
  </div>`;
}

/** A link behind changed words that leads to a comment on them; with a script the field opens in the row. */
function sayOn(id: string, { key, pack, writable }: RowContext): ((words: string) => Html | undefined) | undefined {
  if (!writable) return undefined;
  return (words) => {
    const quote = quotable(words);
    if (quote.length < LEAST_WORDS) return undefined;
    const anchor = `${id} "${quote}"`;
    const href = commentHref({ key, gate: pack.gate }, anchor, 'gate');
    return html`<a
      class="say"
      data-on="${anchor}"
      href="${href}"
      aria-label="Comment on “${quote}”"
      title="Comment on these words"
      >✎</a
    >`;
  };
}
