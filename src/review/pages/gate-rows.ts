/** The rows that a reviewer goes through with j and k: each change, or on a first design each rule. */
import type { ReviewPack, RuleChange } from '../../gate/review-pack.ts';
import { count } from '../../report/figures.ts';
import { html, type Html } from '../../report/html/html.ts';
import { ruleMark } from '../../report/review-words.ts';
import { evidenceList } from './evidence.ts';
import { textArea } from './text-area.ts';
import { changedWords } from './words.ts';

export type RowContext = {
  key: string;
  pack: ReviewPack;
  /** False when the gate does not wait, so that there is nothing to write. */
  writable: boolean;
  /** What was written before the page had to be shown again, by rule id. */
  draft: ReadonlyMap<string, string>;
};

export function changeRows(changes: readonly RuleChange[], context: RowContext): Html[] {
  return changes.map(
    (change) =>
      html`<article class="row" data-row tabindex="-1" id="${change.id}">
        <h3>
          <span class="sign ${change.kind}" aria-hidden="true">${ruleMark(change)}</span
          ><span><span class="sr">${change.kind}: </span>${change.id} ${change.title}</span>
        </h3>
        ${changedWords(change.before, change.after)}
        ${change.reason === undefined ? undefined : html`<p class="because"><strong>because</strong> ${change.reason}</p>`}
        ${evidenceList(context.key, change.evidence)}
        ${change.kind === 'removed' ? undefined : tested(change.id, context)} ${commentField(change.id, context)}
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
    return html`<article class="row" data-row tabindex="-1" id="${id}">${inside}${commentField(id, context)}</article>`;
  });
}

const MOST_NAMES = 4;

function tested(id: string, { pack: { coverage } }: RowContext): Html | undefined {
  if (coverage === undefined) return undefined;
  const rule = coverage.rules.find((one) => one.id === id);
  if (rule === undefined || rule.samples.length === 0) {
    return html`<p class="small soft">Not tested in iteration ${coverage.iteration}.</p>`;
  }
  const says = rule.refusals === 0 ? html` <span class="pill warn">no negative sample</span>` : undefined;
  return html`<p class="small soft">
    tested by ${count(rule.samples.length, 'sample')} (${named(rule.samples)}) and
    ${rule.checkers.length === 0 ? 'no checker' : `${count(rule.checkers.length, 'checker')} (${named(rule.checkers)})`}${says}
  </p>`;
}

function named(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Folded until it is wanted; what is written here begins with the rule it is about. */
function commentField(id: string, { writable, draft }: RowContext): Html | undefined {
  if (!writable) return undefined;
  const text = draft.get(id) ?? '';
  const area = textArea(html`name="on.${id}" aria-label="Comment on ${id}" rows="2" maxlength="2000"`, text);
  const field = html`<summary>Comment on ${id}</summary>
    ${area}`;
  return text === ''
    ? html`<details class="note-on">${field}</details>`
    : html`<details class="note-on" open>${field}</details>`;
}
