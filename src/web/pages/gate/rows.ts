/** The rows that a reviewer goes through with j and k: each change, or on a first design each rule. */
import type { ReviewPack, RuleChange } from '../../../gate/rules/review-pack.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { markOf } from '../../../gate/review-mark.ts';
import { PROMPT_CHANGED } from '../../../gate/rules/format-changes.ts';
import { ruleMark } from '../../../report/gate/review-texts.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { quotable } from '../../../gate/rules/comment-parts.ts';
import { commentHref } from '../design/comment-page.ts';
import { evidenceList, gateHref } from '../evidence.ts';
import { commentsOnRule, earlierComments } from '../design/earlier-comments.ts';
import { textArea } from '../text-area.ts';
import { ruleContext, markButton } from './rule-context.ts';
import { wordDiffHtml } from './word-diff.ts';

export type RowContext = {
  key: string;
  pack: ReviewPack;
  /** False when the gate does not wait, so that there is nothing to write. */
  writable: boolean;
  /** What was written and not sent yet, by anchor. */
  draft: ReadonlyMap<string, string>;
  /** Marks of what this reader has reviewed, at whichever gate of the run. */
  reviewed: ReadonlySet<string>;
};

/** Rows that their reader has been through are one line, as long as what they say stays. */
export function foldReviewed(rows: readonly Html[], what: string): Html | undefined {
  if (rows.length === 0) return undefined;
  return html`<details class="fold">
    <summary>${what} that you have reviewed</summary>
    <div class="inside">${rows}</div>
  </details>`;
}

export function isReviewed(id: string, { pack, reviewed }: Pick<RowContext, 'pack' | 'reviewed'>): boolean {
  return reviewed.has(markOf(id, pack));
}

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
          ><span><span class="sr">${change.kind}: </span>${change.id} ${change.title}</span
          >${context.writable && change.kind !== 'removed' ? markButton(change.id, context) : undefined}
        </h3>
        ${changedWords(change, context)}${because(change, context)}
        ${earlierComments(commentsOnRule(context.pack, change.id))}${commentField(change.id, context)}
      </article>`,
  );
}

/** What a rule rests on is one click away; what it says is not. */
const RESTS_ON = /^(source|quote|cases|goes before): /;

function partOf(text: string | undefined, isRest: boolean): string | undefined {
  const lines = text?.split('\n').filter((line) => RESTS_ON.test(line) === isRest);
  return lines === undefined || lines.length === 0 ? undefined : lines.join('\n');
}

function changedWords({ id, before, after }: RuleChange, context: RowContext): Html | undefined {
  const [old, now] = [partOf(before, false), partOf(after, false)];
  return old === undefined && now === undefined
    ? undefined
    : wordDiffHtml(old, now, { brief: true, ...omitUndefined({ say: sayOn(id, context) }) });
}

/** The agent's reason is a claim: what it rests on is one key away, its words and the whole rule one click. */
function because({ id, kind, before, after, reason, evidence }: RuleChange, context: RowContext): Html | undefined {
  const isGone = kind === 'removed';
  const [old, now] = [partOf(before, true), partOf(after, true)];
  const isSame = isGone || old === now;
  const whole = kind === 'changed' ? partOf(after, false) : undefined;
  const parts = [
    ...(reason === undefined ? [] : [html`<p>${reason}</p>`]),
    ...(evidence.length === 0 ? [] : [evidenceList(context.key, evidence)]),
    ...(whole === undefined ? [] : [html`<p><span class="soft">now</span> ${whole}</p>`]),
    ...(isSame ? [] : [wordDiffHtml(old, now)]),
    ...(isGone ? [] : [ruleContext(id, context)]),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return html`<details class="because">
    <summary>why${isSame ? undefined : html`, ${restChanged(old, now)} changed`}</summary>
    ${parts}
  </details>`;
}

/** `source`, `cases`, or both. */
function restChanged(old: string | undefined, now: string | undefined): string {
  const [before, after] = [old?.split('\n') ?? [], now?.split('\n') ?? []];
  const moved = [...before, ...after].filter((line) => !before.includes(line) || !after.includes(line));
  const isSource = moved.some((line) => /^(source|quote): /.test(line));
  const isCases = moved.some((line) => /^(cases|goes before): /.test(line));
  return [...(isSource ? ['source'] : []), ...(isCases ? ['cases'] : [])].join(', ') || 'source';
}

type Prompt = { before: string; after: string };

type Format = Pick<ReviewPack['since'], 'format' | 'prompt' | 'rules'>;

/** What changed of the format is a sentence each; the subject's prompt is a row where it says more than the changed rules. */
export function formatRows({ format, prompt, rules }: Format): Html[] {
  const shown = prompt === undefined ? format : format.filter((one) => !one.startsWith(PROMPT_CHANGED));
  const parts = [
    ...shown.map((sentence) => ({ title: 'Format', words: html`<p class="words">${sentence}</p>` })),
    ...(prompt === undefined || followers(prompt, rules) !== undefined
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

/** A prompt that only repeats the changed rules asks for no look of its own. */
export function promptFold({ prompt, rules }: Pick<Format, 'prompt' | 'rules'>): Html | undefined {
  const owners = prompt && followers(prompt, rules);
  if (prompt === undefined || owners === undefined) return undefined;
  return html`<details>
    <summary>The subject’s prompt follows ${owners.join(', ')}</summary>
    <div class="inside">${promptWords(prompt)}</div>
  </details>`;
}

/** The changed rules that it repeats; undefined where something else of it changed too. */
function followers({ before, after }: Prompt, rules: Format['rules']): string[] | undefined {
  const owners = [...new Set([...only(before, after), ...only(after, before)].map(({ owner }) => owner))];
  return owners.every((owner) => rules.some(({ id }) => id === owner)) ? owners : undefined;
}

function promptWords({ before, after }: Prompt): Html {
  const text = (lines: readonly { line: string }[]) => lines.map(({ line }) => line).join('\n');
  return wordDiffHtml(text(only(before, after)), text(only(after, before)), { brief: true });
}

/** Lines that only the first has, each with the rule that the paragraph begins with. */
function only(text: string, other: string): { line: string; owner: string }[] {
  const known = new Set(other.split('\n'));
  let owner = '';
  const lines = text.split('\n').map((line) => {
    owner = /^R[1-9]\d*\b/.exec(line)?.[0] ?? (line.trim() === '' ? '' : owner);
    return { line, owner };
  });
  return lines.filter(({ line }) => !known.has(line));
}

/** A single letter that changed is no place to point at; its rule is. */
const LEAST_WORDS = 2;

/** Folded until it is wanted; what is written here begins with the rule it is about. */
export function commentField(id: string, { key, pack, writable, draft }: RowContext): Html | undefined {
  if (!writable) return undefined;
  const text = draft.get(id) ?? '';
  const area = textArea(html`name="on.${id}" aria-label="Comment on ${id}" rows="2" maxlength="2000"`, text);
  const field = html`<summary aria-label="Comment on ${id}">Comment</summary>
    ${area}
    <p class="small"><a href="${gateHref(key, pack.gate)}/edit?rule=${id}">or edit ${id} yourself</a></p>`;
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
