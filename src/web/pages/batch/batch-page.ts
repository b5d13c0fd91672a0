/** One batch: what waits for a person and can be answered together, then every run with its rate, cost and failures. */
import {
  batchNotes,
  formatRunCounts,
  countRuns,
  groupByScenario,
  summariseAllRuns,
  type BatchSummary,
} from '../../../report/batch/summary.ts';
import { formatCount, paidCell, formatUsd } from '../../../report/text/number-format.ts';
import { html, type Html, renderReportTable } from '../../../report/html/html.ts';
import { groupsTable } from '../../../report/batch/tables.ts';
import { designText } from '../../../report/gate/review-texts.ts';
import { newsOfBatch } from '../../read/batch-rows.ts';
import type { WaitingGate } from '../../read/open-gates.ts';
import { batchHref, gateHref } from '../page-links.ts';
import { batchTable, type TableRow } from './batch-table.ts';
import { momentText, waitText } from '../time-texts.ts';
import { renderAlert } from '../layout.ts';

export type BatchPage = {
  summary: BatchSummary;
  rows: readonly TableRow[];
  /** Gates that one decision can answer are together. */
  groups: readonly (readonly WaitingGate[])[];
  /** Which of the rows are shown; the page is counted from 1. */
  at: { page: number; pages: number };
  now: Date;
};

export function batchPage(page: BatchPage): Html {
  const { summary } = page;
  const { waiting } = newsOfBatch(summary);
  return html`<header>
      <p class="brand">Batch</p>
      <h1 data-news="counts">${formatRunCounts(countRuns(summary))}</h1>
      <p class="meta">
        <code>${summary.batch}</code><span>started ${momentText(summary.createdAt)}</span
        ><span>${formatCount(summary.rows.length, 'run')}</span
        ><span
          ><span data-news="cost">${paidCell(summariseAllRuns(summary))}</span
          >${summary.budgetUsd === undefined ? undefined : html` of ${formatUsd(summary.budgetUsd)}`}</span
        ><span class="live">live</span>
      </p>
    </header>
    ${batchNotes(summary).map(({ title, text }) => renderAlert('warn', title, text))}${gatesSection(page)}${scenarioSection(summary)}
    <section class="card" id="runs" data-waiting="${waiting}" aria-labelledby="runs-title">
      <h2 id="runs-title">Run by run</h2>
      ${batchTable(page.rows)}${pagesRow(page)}
    </section>`;
}

function gatesSection({ groups, now }: BatchPage): Html | undefined {
  if (groups.length === 0) return undefined;
  return html`<section class="card ask" aria-labelledby="gates-title">
    <h2 id="gates-title">
      ${formatCount(groups.flat().length, 'gate')} of this batch ${groups.flat().length === 1 ? 'waits' : 'wait'} for a
      person
    </h2>
    <ol class="queue">
      ${groups.map((group, index) => groupItem(group, index === 0, now))}
    </ol>
  </section>`;
}

/** One link reads one design; those that read the same are ticked there, and each gets a decision of its own. */
function groupItem(group: readonly WaitingGate[], isFirst: boolean, now: Date): Html {
  const [first, ...others] = group;
  if (first === undefined) return html``;
  const { key, pack, openedAt } = first;
  const href = `${gateHref(key, pack.gate)}${others.length === 0 ? '' : '?also=all'}`;
  const text =
    others.length === 0
      ? html`Read “${key}” and decide`
      : html`Read it once, answer ${group.length === 2 ? 'both gates' : `all ${group.length} gates`}`;
  const link = isFirst
    ? html`<a class="button proof" id="next" href="${href}">${text}</a>`
    : html`<a class="button proof" href="${href}">${text}</a>`;
  return html`<li class="group" data-row tabindex="-1">
    <p>
      <strong>${pack.title}</strong>
      <span class="soft">round ${pack.round}, ${designText(pack)}</span>
      <span class="soft small">waiting ${waitText(now.getTime() - Date.parse(openedAt))}</span>
    </p>
    <p>${link}</p>
    ${others.length === 0 ? undefined : html`<p class="small soft">The very same change in ${group.map((one, index) => html`${index === 0 ? '' : ', '}<a href="${gateHref(one.key, one.pack.gate)}">${one.key}</a>`)}</p>`}
  </li>`;
}

function scenarioSection(summary: BatchSummary): Html {
  return html`<section class="card">
    <h2>By scenario</h2>
    ${renderReportTable(groupsTable(groupByScenario(summary)))}
    <p class="small soft">
      Rates and failures are those of each run’s newest iteration. The interval comes from drawing whole runs again and
      again, because samples of one run are alike.
    </p>
  </section>`;
}

function pagesRow({ summary, at: { page, pages } }: BatchPage): Html | undefined {
  if (pages < 2) return undefined;
  const to = (number: number, words: string) =>
    html`<a href="${batchHref(summary.batch)}?page=${number}#runs">${words}</a>`;
  return html`<p class="evidence">
    ${page > 1 ? to(page - 1, 'Earlier runs') : undefined}<span class="soft">page ${page} of ${pages}</span>
    ${page < pages ? to(page + 1, 'Later runs') : undefined}
  </p>`;
}
