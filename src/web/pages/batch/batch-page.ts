/** The list of batches; and one: what waits for a person and can be answered together, then every run with its rate, cost and failures. */
import {
  batchNotes,
  formatRunCounts,
  countRuns,
  groupByScenario,
  summariseAllRuns,
  type BatchSummary,
} from '../../../report/batch/summary.ts';
import { formatCount, paidCell, formatUsd } from '../../../report/text/number-format.ts';
import { html, type Html, renderReportTable, renderDataTable } from '../../../report/html/html.ts';
import { groupsTable } from '../../../report/batch/tables.ts';
import { designText } from '../../../report/gate/review-texts.ts';
import { newsOfBatch, type RowNews } from '../../read/batch-rows.ts';
import type { WaitingGate } from '../../read/open-gates.ts';
import { batchHref, gateHref, runHref } from '../page-links.ts';
import { momentText, waitText, personText } from '../time-texts.ts';
import { renderAlert, renderQueue } from '../layout.ts';
import { renderPager } from '../results/pager.ts';
import type { ListedBatch } from '../../web-deps.ts';

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
      ${batchTable(page.rows)}${renderPager(page.at, (number) => `${batchHref(summary.batch)}?page=${number}#runs`)}
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
  const link = html`<a class="button proof" ${isFirst ? html`id="next"` : undefined} href="${href}">${text}</a>`;
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
      Rates and failures are those of each run’s newest iteration. The interval is one of whole runs, because samples of
      one run are alike.
    </p>
  </section>`;
}

/** `key` names the run in addresses; it is undefined until the run's folder exists. */
export type TableRow = { key: string | undefined; scenario: string; why: string; news: RowNews };

const HEAD = ['run', 'state', 'now at', 'rate', 'passed', '95 % interval', 'failed by layer', 'cost'];

function batchTable(rows: readonly TableRow[]): Html {
  const scenarios = new Set(rows.map(({ scenario }) => scenario)).size;
  // A column without content in every row is left out, because the table must fit a screen.
  const named = scenarios > 1;
  const withReasons = rows.some(({ why, news }) => news.gate === '' && why !== '');
  const [first = '', ...more] = HEAD;
  const head = [first, ...(named ? ['scenario'] : []), ...more, ...(withReasons ? ['why'] : [])];
  return renderDataTable(
    { label: 'Runs of the batch' },
    head,
    rows.map((row) => renderBatchRow(row, named, withReasons)),
  );
}

function renderBatchRow(
  { key, scenario, why, news: { run, tone, gate, cells } }: TableRow,
  named: boolean,
  withReasons: boolean,
): Html {
  const cell = (name: string) => html`<td data-cell="${name}">${cells[name] ?? ''}</td>`;
  const decide =
    gate === '' || key === undefined ? undefined : html` <a href="${gateHref(key, gate)}">decide ${gate}</a>`;
  return html`<tr data-row tabindex="-1" data-run="${run}">
    <th scope="row">${key === undefined ? run : html`<a class="proof" href="${runHref(key)}">${run}</a>`}</th>
    ${named ? html`<td>${scenario}</td>` : undefined}
    <td><span class="pill ${tone}" data-cell="status">${cells['status'] ?? ''}</span>${decide}</td>
    ${cell('at')}${cell('rate')}${cell('passed')}${cell('interval')}${cell('failed')}${cell('cost')}
    ${withReasons ? html`<td class="small soft">${gate === '' ? why : ''}</td>` : undefined}
  </tr>`;
}

const MOST = 200;

export function batchesPage(batches: readonly ListedBatch[]): Html {
  const left = batches.length - MOST;
  return html`<header>
      <p class="brand">All scenarios</p>
      <h1>${batches.length === 0 ? 'No batches yet' : 'Batches'}</h1>
      ${batches.length === 0 ? html`<p class="soft"><code>tandem batch 'scenarios/*' --runs 5</code> starts one.</p>` : undefined}
    </header>
    ${renderQueue('Batches', batches.slice(0, MOST).map(batchItem))}
    ${left > 0 ? html`<p class="soft">${left} older batches are not listed; they are in batches/.</p>` : undefined}`;
}

function batchItem({ id, createdAt, actor, runs }: ListedBatch): Html {
  const what = createdAt === '' ? 'cannot be read' : `started ${momentText(createdAt)} by ${personText(actor)}`;
  return html`<li>
    <a class="item" href="${batchHref(id)}" data-row>
      <span class="name">${id}</span><span class="wait">${formatCount(runs.length, 'run')}</span>
      <span class="what">${what}</span>
    </a>
  </li>`;
}
