/** The whole design as it would be built, and line by line what changed of it. */
import { html, type Html, renderDataTable, renderPlainList, renderTableRow } from '../../../report/html/html.ts';
import { casesSection } from '../../../report/html/cases-section.ts';
import { formatCount } from '../../../report/text/number-format.ts';
import type { DesignContent } from '../../../ports/decisions.ts';
import type { GateView } from '../../read/read-gate.ts';
import { commentHref } from './comment-page.ts';
import { hiddenComments, renderPendingComments, ruleComment, diffComments } from './design-comments.ts';
import { diffView, type DiffComments } from './diff-view.ts';
import { renderPageHeader } from '../layout.ts';
import { gateHref } from '../page-links.ts';
import { personText } from '../time-texts.ts';
import { renderProse } from './prose.ts';
import { commentsOnRule, earlierComments } from './earlier-comments.ts';

export type DesignPage = {
  key: string;
  view: GateView;
  design: DesignContent;
  /** The reader's unsent comments; undefined when this reader may not answer, or the gate is closed. */
  drafts: ReadonlyMap<string, string> | undefined;
};

export function designPage(page: DesignPage): Html {
  const { key, view, design, drafts } = page;
  const { pack, since, edit } = view;
  const at = { key, gate: pack.gate };
  const href = drafts === undefined ? undefined : (anchor: string) => commentHref(at, anchor, 'design');
  const comments = diffComments(view, drafts, href);
  const back = html`<a href="${gateHref(key, pack.gate)}">Back to the decision</a>`;
  const meta = html`<span>${pack.title}</span><code>${design.dir}</code>${back}`;
  return html`${renderPageHeader({ brand: pack.gate, title: `Design of round ${pack.round}` }, meta)}
    ${renderPendingComments(key, pack.gate, drafts)}
    ${edit === undefined ? undefined : diffSection(`Edited by ${personText(edit.by)}`, edit.diff)}
    ${since.round === null ? undefined : html`<div id="diff">${diffSection(`Since r${since.round}`, since.diff, comments)}${hiddenComments(comments, since.diff)}</div>`}
    ${rulesSection(page, href)}${pack.cases === undefined ? undefined : casesSection(pack.cases)}${formatSection(design)}
    <section class="card">
      <h2>In the agent’s words</h2>
      ${renderProse(design.files['unified_scenario_design.md'] ?? '')}
    </section>`;
}

function rulesSection({ view, design, drafts }: DesignPage, href: DiffComments['href']): Html {
  const { rules } = design.rules;
  return html`<section class="card">
    <h2>${formatCount(rules.length, 'business rule')}</h2>
    ${rules.map(
      ({ id, title, text, severity, applies_to, source }) =>
        html`<article class="row" data-row tabindex="-1" id="${id}">
          <h3>${id} ${title} <span class="pill plain">${severity}</span></h3>
          <p class="words">${text}</p>
          ${earlierComments(commentsOnRule(view.pack, id))}${href === undefined ? undefined : ruleComment(id, drafts, href)}
          <p class="small soft">applies to ${applies_to.join(', ') || 'no tool'} · ${source ?? 'no source named'}</p>
        </article>`,
    )}
  </section>`;
}

function formatSection({ format }: DesignContent): Html {
  const toolRow = ({ name, purpose, changes_world }: (typeof format.tools)[number]) =>
    renderTableRow([html`<code>${name}</code>`, purpose, changes_world ? 'yes' : 'no']);
  const categories = format.categories.map(
    ({ id, title, samples }) => html`<code>${id}</code> ${title}: ${formatCount(samples, 'sample')}`,
  );
  return html`<section class="card">
    <h2>Format</h2>
    ${renderDataTable({ label: 'Tools', kind: '' }, ['tool', 'purpose', 'changes the world'], format.tools.map(toolRow))}
    <h3>Categories</h3>
    ${renderPlainList(categories)}
    <h3>The subject’s prompt</h3>
    <pre>${format.subject_prompt}</pre>
    <details>
      <summary>Schema of the world</summary>
      <pre>${JSON.stringify(format.world, null, 2)}</pre>
    </details>
  </section>`;
}

function diffSection(title: string, diff: string, comments?: DiffComments): Html {
  return html`<section class="card">
    <h2>${title}, line by line</h2>
    ${diff === '' ? html`<p>No line differs.</p>` : diffView(diff, comments)}
  </section>`;
}
