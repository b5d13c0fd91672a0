/** The rows that a reviewer goes through with j and k: each change, or each rule of a first design. */
import type { ReviewPack, RuleChange } from '../../../gate/rules/review-pack.ts';
import { html, type Html, renderFold } from '../../../report/html/html.ts';
import { createReviewMark } from '../../../gate/review-mark.ts';
import { PROMPT_CHANGED } from '../../../gate/rules/format-changes.ts';
import { ruleMark } from '../../../report/gate/review-texts.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { toQuotableText } from '../../../gate/rules/comment-parts.ts';
import { commentHref } from '../design/comment-page.ts';
import { evidenceList, gateHref } from '../page-links.ts';
import { commentsOnRule, earlierComments } from '../design/earlier-comments.ts';
import { textArea } from '../text-area.ts';
import { ruleContext, markButton } from './rule-context.ts';
import { wordDiffHtml } from './word-diff.ts';

export type RowContext = {
  key: string;
  pack: ReviewPack;
  /** False when the gate does not wait, so that there is nothing to write. */
  writable: boolean;
  /** The reader's unsent comments, by anchor. */
  draft: ReadonlyMap<string, string>;
  /** Marks of what this reader has reviewed, at any gate of the run. */
  reviewed: ReadonlySet<string>;
};

/** Rows without a risk, and reviewed ones, are folded into one line; a row whose content changes is no longer reviewed. */
export function foldRows(rows: readonly Html[], title: string): Html | undefined {
  if (rows.length === 0) return undefined;
  return html`<details class="fold">
    <summary>${title}</summary>
    <div class="inside">${rows}</div>
  </details>`;
}

export function isReviewed(id: string, { pack, reviewed }: Pick<RowContext, 'pack' | 'reviewed'>): boolean {
  return reviewed.has(createReviewMark(id, pack));
}

/** A person reads no more in a minute; the rest is one click away, so that the first paint does not wait for it. */
export const MOST_ROWS = 50;

/** Returns the first rows and the number left out; `all` is set when the reader has unsent comments. */
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
          ><span><span class="sr">${change.kind}: </span>${change.id} ${change.title}</span
          >${context.writable && change.kind !== 'removed' ? markButton(change.id, context) : undefined}
        </h3>
        ${changedWords(change, context)}${renderReason(change, context, ruleContext(change.id, context))}
        ${earlierComments(commentsOnRule(context.pack, change.id))}${commentField(change.id, context)}
      </article>`,
  );
}

/** Lines about a rule's origin are folded one click away; the lines of the rule itself are always shown. */
const RESTS_ON = /^(source|quote|cases|goes before): /;

function selectRuleLines(text: string | undefined, isRest: boolean): string | undefined {
  const lines = text?.split('\n').filter((line) => RESTS_ON.test(line) === isRest);
  return lines === undefined || lines.length === 0 ? undefined : lines.join('\n');
}

function changedWords({ id, before, after }: RuleChange, context: RowContext): Html | undefined {
  const [old, now] = [selectRuleLines(before, false), selectRuleLines(after, false)];
  return old === undefined && now === undefined
    ? undefined
    : wordDiffHtml(old, now, { brief: true, ...omitUndefined({ say: createCommentLink(id, context) }) });
}

/** The reason is the agent's claim: its evidence is one key away, its text and the whole rule one click. */
export function renderReason(change: RuleChange, context: RowContext, beside?: Html): Html | undefined {
  const { kind, before, after, reason, evidence } = change;
  const isGone = kind === 'removed';
  const [old, now] = [selectRuleLines(before, true), selectRuleLines(after, true)];
  const isSame = isGone || old === now;
  const whole = kind === 'changed' ? selectRuleLines(after, false) : undefined;
  const parts = [
    ...(reason === undefined ? [] : [html`<p>${reason}</p>`]),
    ...(evidence.length === 0 ? [] : [evidenceList(context.key, evidence)]),
    ...(whole === undefined ? [] : [html`<p><span class="soft">now</span> ${whole}</p>`]),
    ...(isSame ? [] : [wordDiffHtml(old, now)]),
    ...(isGone ? [] : [beside]),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return html`<details class="because">
    <summary>why${isSame ? undefined : html`, ${nameChangedParts(old, now)} changed`}</summary>
    ${parts}
  </details>`;
}

/** Returns `source`, `cases`, or both. */
function nameChangedParts(old: string | undefined, now: string | undefined): string {
  const [before, after] = [old?.split('\n') ?? [], now?.split('\n') ?? []];
  const moved = [...before, ...after].filter((line) => !before.includes(line) || !after.includes(line));
  const isSource = moved.some((line) => /^(source|quote): /.test(line));
  const isCases = moved.some((line) => /^(cases|goes before): /.test(line));
  return [...(isSource ? ['source'] : []), ...(isCases ? ['cases'] : [])].join(', ') || 'source';
}

type PromptChange = { before: string; after: string };

type FormatChanges = Pick<ReviewPack['since'], 'format' | 'prompt' | 'rules'>;

/** Each change of the format is one sentence; the subject's prompt has a row only if it changes more than the rules. */
export function formatRows({ format, prompt, rules }: FormatChanges): Html[] {
  const shown = prompt === undefined ? format : format.filter((one) => !one.startsWith(PROMPT_CHANGED));
  const parts = [
    ...shown.map((sentence) => ({ title: 'Format', words: html`<p class="words">${sentence}</p>` })),
    ...(prompt === undefined || findRepeatedRules(prompt, rules) !== undefined
      ? []
      : [{ title: 'The subject’s prompt', words: promptWords(prompt) }]),
  ];
  return parts.map(
    ({ title, words }, index) =>
      html`<article class="row" data-row tabindex="-1" id="format-${index + 1}">
        <h3><span class="sign changed" aria-hidden="true">~</span><span>${title}</span></h3>
        ${words}
      </article>`,
  );
}

/** A prompt that only repeats the changed rules needs no review of its own, so it is folded. */
export function promptFold({ prompt, rules }: Pick<FormatChanges, 'prompt' | 'rules'>): Html | undefined {
  const owners = prompt && findRepeatedRules(prompt, rules);
  if (prompt === undefined || owners === undefined) return undefined;
  return renderFold(`The subject’s prompt follows ${owners.join(', ')}`, promptWords(prompt));
}

/** Returns the changed rules that the prompt repeats, or undefined if something else in it changed too. */
function findRepeatedRules({ before, after }: PromptChange, rules: FormatChanges['rules']): string[] | undefined {
  const owners = [
    ...new Set([...listUniqueLines(before, after), ...listUniqueLines(after, before)].map(({ owner }) => owner)),
  ];
  return owners.every((owner) => rules.some(({ id }) => id === owner)) ? owners : undefined;
}

function promptWords({ before, after }: PromptChange): Html {
  const text = (lines: readonly { line: string }[]) => lines.map(({ line }) => line).join('\n');
  return wordDiffHtml(text(listUniqueLines(before, after)), text(listUniqueLines(after, before)), { brief: true });
}

/** Returns the lines that only the first text has, each with the rule that begins its paragraph. */
function listUniqueLines(text: string, other: string): { line: string; owner: string }[] {
  const known = new Set(other.split('\n'));
  let owner = '';
  const lines = text.split('\n').map((line) => {
    owner = /^R[1-9]\d*\b/.exec(line)?.[0] ?? (line.trim() === '' ? '' : owner);
    return { line, owner };
  });
  return lines.filter(({ line }) => !known.has(line));
}

/** A single changed letter gets no link of its own; its rule has one. */
const LEAST_WORDS = 2;

/** The field is folded until the reader opens it; its text is saved as a comment on the rule. */
export function commentField(id: string, { key, pack, writable, draft }: RowContext): Html | undefined {
  if (!writable) return undefined;
  const text = draft.get(id) ?? '';
  const area = textArea(html`name="on.${id}" aria-label="Comment on ${id}" rows="2" maxlength="2000"`, text);
  const field = html`<summary aria-label="Comment on ${id}">Comment</summary>
    ${area}
    <p class="small"><a href="${gateHref(key, pack.gate)}/edit?rule=${id}">or edit ${id} yourself</a></p>`;
  const quoted = [...draft].filter(([anchor]) => anchor.startsWith(`${id} "`));
  const fields = quoted.map(([anchor, comment]) => anchoredField(anchor, comment));
  return html`${fields}
    <details class="note-on" ${text === '' ? undefined : html`open`}>${field}</details>`;
}

/** A comment on a place within the page, as a field that is sent with the answer. */
export function anchoredField(anchor: string, text: string): Html {
  return html`<div class="note-on">
    <p class="small">Comment on <code>${anchor}</code></p>
    ${textArea(html`name="on.${anchor}" aria-label="Comment on ${anchor}" rows="2" maxlength="2000"`, text)}
  </div>`;
}

/** Creates the link behind changed words that leads to a comment on them; with a script the field opens in the row. */
function createCommentLink(
  id: string,
  { key, pack, writable }: RowContext,
): ((words: string) => Html | undefined) | undefined {
  if (!writable) return undefined;
  return (words) => {
    const quote = toQuotableText(words);
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
