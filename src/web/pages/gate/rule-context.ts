/** The context of a rule: its source sentence, its meaning as cases for code, and the samples that test it. */
import { createReviewMark } from '../../../gate/review-mark.ts';
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { foldText } from '../../../scenario/language/fold-text.ts';
import { coverageText } from '../../../report/gate/review-texts.ts';
import { gateHref } from '../page-links.ts';
import { renderOtherWords } from './word-diff.ts';

/** The button that marks a rule as reviewed; it works without a script too. */
export function markButton(id: string, { key, pack, reviewed }: RuleContext & { reviewed: ReadonlySet<string> }): Html {
  const mark = createReviewMark(id, pack);
  const isSet = reviewed.has(mark);
  return html`<button
    class="mark"
    name="${isSet ? 'unmark' : 'mark'}"
    value="${mark}"
    data-does="mark"
    formaction="${gateHref(key, pack.gate)}/mark"
    aria-pressed="${isSet ? 'true' : 'false'}"
  >
    ${isSet ? 'reviewed ✓' : 'reviewed?'}
  </button>`;
}

type RuleContext = { key: string; pack: ReviewPack };

export function ruleContext(id: string, { key, pack }: RuleContext): Html | undefined {
  const rule = pack.rules.find((one) => one.id === id);
  if (rule === undefined) return undefined;
  return html`<div class="beside" role="group" aria-label="About ${id}">
    ${renderSource(rule, key)}${renderCases(id, pack, key)}${renderTests(id, pack)}
  </div>`;
}

function renderSource({ source, text }: ReviewPack['rules'][number], key: string): Html | undefined {
  // Packs of earlier versions have no sources.
  if (source === undefined) return undefined;
  const { named, quote, file, line } = source;
  if (file === undefined || line === undefined) {
    const why = quote === undefined ? 'no sentence is quoted' : 'its quote is in no source word for word';
    return html`<p class="small">
      <span class="pill warn">no source</span>
      ${why}${named === '' ? undefined : html` <span class="soft">(${named})</span>`}
    </p>`;
  }
  // A quote that is part of the rule's text is not shown twice.
  const isSame = quote !== undefined && foldText(text).includes(foldText(quote));
  const where = html`<a class="proof" href="${sourceHref(key, file)}#L${line}">${file}:${line}</a>`;
  if (isSame) return html`<p class="small">word for word in ${where}</p>`;
  return html`<blockquote title="${quote ?? ''}">${renderOtherWords(text, quote ?? '')}</blockquote>
    <p class="small">${where}</p>`;
}

export function sourceHref(key: string, file: string): string {
  return `/runs/${encodeURIComponent(key)}/sources/${file.split('/').map(encodeURIComponent).join('/')}`;
}

function renderCases(id: string, { cases, gate }: ReviewPack, key: string): Html | undefined {
  const rule = cases?.rules.find((one) => one.id === id);
  if (rule === undefined) return undefined;
  const over = rule.over.length === 0 ? undefined : html` · goes before ${rule.over.join(', ')}`;
  return html`<details class="small">
    <summary>cases</summary>
    ${rule.lines.map(({ when, demands }) => html`<p>${when} → ${demands}</p>`)}
    <p><a href="${gateHref(key, gate)}/design#cases">the whole table</a>${over}</p>
  </details>`;
}

function renderTests(id: string, pack: ReviewPack): Html | undefined {
  const covered = coverageText(pack, id);
  return covered === undefined ? undefined : html`<p class="small soft">${covered}</p>`;
}
