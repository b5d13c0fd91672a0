/** All runs of the project: searched, filtered, sorted and paged by the address. */
import { formatCount, formatUsd } from '../../../report/text/number-format.ts';
import { formatPercent } from '../../../scenario/percent.ts';
import { html, type Html, renderDataTable } from '../../../report/html/html.ts';
import { describeStatus, getStatusTone } from '../../../report/run/run-outcome.ts';
import { formatListQuery, type ListFilter, type Sort } from '../../read/results/run-list.ts';
import type { RunRow } from '../../read/run-rows.ts';
import { resultsHref, runHref } from '../page-links.ts';
import { renderPager } from '../results/pager.ts';
import { momentText } from '../time-texts.ts';

const HEAD = ['compare', 'run', 'state', 'rate', 'cost', 'scenario', 'so far', 'started'];
const SORT_WORDS: Readonly<Record<Sort, string>> = {
  newest: 'newest first',
  oldest: 'oldest first',
  rate: 'highest rate first',
  cost: 'dearest first',
  name: 'by name',
};

export type RunsPage = {
  /** The runs of this page. */
  rows: readonly RunRow[];
  filter: ListFilter;
  /** `all` counts every run and evaluation, `found` those that the filter leaves. */
  all: number;
  found: number;
  page: number;
  pages: number;
  scenarios: readonly string[];
  statuses: readonly string[];
};

export function runsPage({ rows, filter, all, found, page, pages, scenarios, statuses }: RunsPage): Html {
  const count = formatCount(all, 'run', statuses.includes('evaluated') ? 'runs and evaluations' : 'runs');
  const title = all === 0 ? 'No runs yet' : found === all ? count : `${found} of ${count}`;
  return html`<header>
      <p class="brand">${filter.scenario === '' ? 'All scenarios' : filter.scenario}</p>
      <h1>${title}</h1>
      ${all === 0 ? html`<p class="soft"><code>tandem run &lt;scenario&gt;</code> starts one.</p>` : undefined}
    </header>
    ${all === 0 ? undefined : renderListFilters(filter, scenarios, statuses)}
    ${
      rows.length === 0
        ? undefined
        : html`<section class="card">
            <form method="get" action="/compare">
              ${renderDataTable({ label: 'Runs' }, HEAD, rows.map(renderRunRow))}
              <p>
                <button>Compare the ticked rows</button>
                <span class="soft small">two to four; the first is the baseline</span>
              </p>
            </form>
            ${renderPager({ page, pages }, (number) => `/runs${formatListQuery(filter, number)}`)}
          </section>`
    }`;
}

function renderListFilters(filter: ListFilter, scenarios: readonly string[], statuses: readonly string[]): Html {
  const option = (value: string, words: string, chosen: string) =>
    html`<option value="${value}" ${value === chosen ? html`selected` : undefined}>${words}</option>`;
  return html`<form method="get" action="/runs" class="card find" role="search">
    <label for="find">Find</label><input type="text" id="find" name="find" value="${filter.find}" />
    <select name="scenario" aria-label="Scenario">
      ${option('', 'every scenario', filter.scenario)}${scenarios.map((one) => option(one, one, filter.scenario))}
    </select>
    <select name="status" aria-label="State">
      ${option('', 'every state', filter.status)}${statuses.map((one) => option(one, describeStatus(one), filter.status))}
    </select>
    <select name="sort" aria-label="Order">
      ${Object.entries(SORT_WORDS).map(([sort, words]) => option(sort, words, filter.sort))}
    </select>
    <button>Show</button>
    ${formatListQuery(filter) === '' ? undefined : html`<a href="/runs">all</a>`}
  </form>`;
}

function renderLabels({ labels = {}, passed }: RunRow): Html[] {
  if (passed !== undefined) return [html` <span class="soft small">${passed}</span>`];
  return Object.entries(labels).map(([name, value]) => {
    const pair = `${name}=${value}`;
    return html` <a class="soft small" href="/runs?find=${encodeURIComponent(pair)}">${pair}</a>`;
  });
}

function renderRunRow(row: RunRow): Html {
  const { key, scenario, status, round, iteration, rate, usd: paid, startedAt } = row;
  return html`<tr data-row tabindex="-1">
    <td>
      ${rate === undefined ? undefined : html`<input type="checkbox" name="run" value="${key}" aria-label="Compare ${key}" />`}
    </td>
    <th scope="row">
      <a class="proof" href="${status === 'evaluated' ? resultsHref(key) : runHref(key)}">${key}</a>${renderLabels(row)}
    </th>
    <td><span class="pill ${getStatusTone(status)}">${describeStatus(status)}</span></td>
    <td>${rate === undefined ? '' : formatPercent(rate)}</td>
    <td>${paid === undefined ? '' : formatUsd(paid)}</td>
    <td>${scenario}</td>
    <td>${[round === 0 ? '' : `r${round}`, iteration === 0 ? '' : `i${iteration}`].join(' ').trim()}</td>
    <td>${startedAt === undefined ? '' : momentText(startedAt)}</td>
  </tr>`;
}
