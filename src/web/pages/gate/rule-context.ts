/** What is shown next to a rule: the sentence of its source, what it says to code, and what tests it. */
import { markOf } from '../../../gate/review-mark.ts';
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { coverageText } from '../../../report/gate/review-texts.ts';
import { gateHref } from '../evidence.ts';
import { otherWords } from './word-diff.ts';

/** What a reader does with a rule: a button that works without a script too. */
export function markButton(id: string, { key, pack, reviewed }: RuleContext & { reviewed: ReadonlySet<string> }): Html {
  const mark = markOf(id, pack);
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
    ${sourceOf(rule, key)}${casesOf(id, pack, key)}${testedBy(id, pack)}
  </div>`;
}

function sourceOf({ source, text }: ReviewPack['rules'][number], key: string): Html | undefined {
  // Packs of earlier versions did not look.
  if (source === undefined) return undefined;
  const { named, quote, file, line } = source;
  if (file === undefined || line === undefined) {
    const why = quote === undefined ? 'no sentence is quoted' : 'its quote is in no source word for word';
    return html`<p class="small">
      <span class="pill warn">no source</span>
      ${why}${named === '' ? undefined : html` <span class="soft">(${named})</span>`}
    </p>`;
  }
  // The same sentence is not shown twice.
  const isSame = quote !== undefined && plain(text).includes(plain(quote));
  const where = html`<a class="proof" href="${sourceHref(key, file)}#L${line}">${file}:${line}</a>`;
  if (isSame) return html`<p class="small">word for word in ${where}</p>`;
  return html`<blockquote title="${quote ?? ''}">${otherWords(text, quote ?? '')}</blockquote>
    <p class="small">${where}</p>`;
}

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().toLowerCase();

export function sourceHref(key: string, file: string): string {
  return `/runs/${encodeURIComponent(key)}/sources/${file.split('/').map(encodeURIComponent).join('/')}`;
}

function casesOf(id: string, { cases, gate }: ReviewPack, key: string): Html | undefined {
  const rule = cases?.rules.find((one) => one.id === id);
  if (rule === undefined) return undefined;
  const over = rule.over.length === 0 ? undefined : html` · goes before ${rule.over.join(', ')}`;
  return html`<details class="small">
    <summary>cases</summary>
    ${rule.lines.map(({ when, demands }) => html`<p>${when} → ${demands}</p>`)}
    <p><a href="${gateHref(key, gate)}/design#cases">the whole table</a>${over}</p>
  </details>`;
}

function testedBy(id: string, pack: ReviewPack): Html | undefined {
  const covered = coverageText(pack, id);
  if (covered === undefined) return undefined;
  const pill = covered.noRefusal ? html` <span class="pill warn">no negative sample</span>` : undefined;
  return html`<p class="small soft">${covered.text}${pill}</p>`;
}
