/** Coverage of the sources by the design: the sections of each source without a rule by name. */
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import { describeAccount, listLeftOut, sectionsText } from '../../../report/gate/review-texts.ts';
import { html, type Html, renderFold, renderPlainList } from '../../../report/html/html.ts';
import { capitalizeFirst, formatCount } from '../../../report/text/number-format.ts';
import { sourceHref } from './rule-context.ts';

type SourceSections = NonNullable<ReviewPack['sources']>[number];

export function sourcesSection(key: string, pack: ReviewPack): Html | undefined {
  const text = sectionsText(pack);
  if (text === undefined) return undefined;
  const files = (pack.sources ?? []).filter(({ sections }) => sections.length > 0);
  const left = listLeftOut(pack).map(describeAccount);
  const accounts = (pack.accounts ?? []).map(describeAccount);
  return html`<section class="card" aria-labelledby="sources-title">
    <h2 id="sources-title">Sources</h2>
    <p>
      ${capitalizeFirst(text)}.
      ${files.some(({ sections }) => sections.some(({ rules }) => rules.length === 0)) ? 'Many sections need no rule, but a rule that the design forgot is in one of them.' : undefined}
    </p>
    ${left.length === 0 ? undefined : renderPlainList(left, 'small')}
    ${accounts.length === 0 ? undefined : renderFold('The brief, sentence by sentence', renderPlainList(accounts, 'small'))}
    ${renderFold(
      `${formatCount(files.length, 'source')}, section by section`,
      files.map((source) => sectionsOfSource(key, source)),
    )}
  </section>`;
}

function sectionsOfSource(key: string, { file, sections }: SourceSections): Html {
  const bare = sections.filter(({ rules }) => rules.length === 0);
  return html`<p class="sections">
      <a href="${sourceHref(key, file)}">${file}</a>
      <span class="small soft">${sections.length - bare.length} of ${sections.length} with a rule</span>
    </p>
    ${
      bare.length === 0
        ? undefined
        : html`<ul class="plain-list small">
            ${bare.map(({ line, title }) => html`<li><a class="proof" href="${sourceHref(key, file)}#L${line}">${title}</a></li>`)}
          </ul>`
    }`;
}
