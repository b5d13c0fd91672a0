/** Results: a row for each sample, a column for each iteration, subject or trial, and links that filter the rows. */
import { omitUndefined } from '../../../omit-undefined.ts';
import { formatCount, formatUsd } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { metricsSection } from '../../../report/html/metrics-section.ts';
import { passedText } from '../../../report/run/run-outcome.ts';
import { LAYERS } from '../../../report/run/layers.ts';
import { formatPercent } from '../../../scenario/percent.ts';
import {
  listChoices,
  columnAlone,
  formatFilterQuery,
  selectRows,
  trialColumn,
  ONLY_COLUMN,
  type Choice,
  type Filter,
  type Matrix,
  type ShowOption,
} from '../../read/results/matrix.ts';
import type { News } from '../../read/run-news.ts';
import { renderLiveStatus, renderPageHeader } from '../layout.ts';
import { disputeLink, resultsHref, runHref } from '../page-links.ts';
import { noteList } from '../../../report/html/note-list.ts';
import { nameLayer } from './describe-cell.ts';
import { renderPager, selectPage } from './pager.ts';
import { trialChart } from './trial-chart.ts';
import { sampleGrid, trialGrid } from './trial-grid.ts';

export type ResultsPage = {
  key: string;
  title: string;
  /** Undefined for an evaluation by `tandem evaluate`. */
  news: Omit<News, 'work'> | undefined;
  matrix: Matrix;
  filter: Filter;
  page: number;
  /** True when people can answer graders' questions. */
  labels: boolean;
};

export function resultsPage({ key, title, news, matrix: all, filter, page, labels }: ResultsPage): Html {
  const alone = trialColumn(all, filter);
  const matrix = alone === undefined ? all : columnAlone(all, alone);
  const rows = selectRows(matrix, filter);
  const { rows: shown, ...here } = selectPage(rows, page);
  const columns = formatCount(matrix.columns.length, news === undefined ? 'subject' : 'iteration');
  const meta = html`${news && html`<a href="${runHref(key)}">The run</a>`}<span
      >${formatCount(matrix.rows.length, 'sample')}</span
    ><span>${alone === undefined ? columns : `the trials of ${alone.short}`}</span> ${trialLinks(key, all, filter)}
    ${labels ? html`<a href="${runHref(key)}/labels">Label trials for the graders</a>` : undefined}`;
  return html`${renderPageHeader({ brand: 'Results', title }, meta, news && renderLiveStatus(news.status))}
    ${renderVerdicts(matrix)}${renderNotes(key, matrix)}${renderMatrixFilters(key, matrix, filter)}
    <section class="card">
      <h2>
        ${rows.length === matrix.rows.length ? 'All samples' : `${rows.length} of ${formatCount(matrix.rows.length, 'sample')}`}
      </h2>
      ${
        rows.length === 0
          ? html`<p>
              ${matrix.columns.length === 0 ? 'No iteration has been evaluated yet.' : html`No sample is so. <a href="${resultsHref(key)}">Show all</a>`}
            </p>`
          : html`${alone === undefined ? sampleGrid({ key, matrix, filter }, shown) : trialGrid({ key, column: alone, filter }, shown)}${renderLegend(matrix)}`
      }
      ${renderPager(here, (number) => resultsHref(key, formatFilterQuery(filter, number)))}
    </section>
    ${(all.side === true ? matrix.columns : matrix.columns.slice(-1)).map((column) => trialChart(key, column) ?? html``)}
    ${news === undefined ? undefined : metricsSection(matrix.columns.at(-1)?.metrics, matrix.columns.at(-2)?.metrics)}`;
}

/** Says first whether the newest numbers meet the target, or those of each subject. */
function renderVerdicts({ columns, side }: Matrix): Html[] {
  return (side === true ? columns : columns.slice(-1)).map(({ short, rate, total, verdict, usd, ...column }) => {
    const name = short === ONLY_COLUMN ? '' : `${short}: `;
    return html`<p class="lead">
      ${name}${passedText(column)} of ${formatCount(total, 'sample')} passed, ${formatPercent(rate)}. ${verdict}
      <span class="soft">${formatUsd(usd)}</span>
    </p>`;
  });
}

/** Lists what speaks against the newest numbers, or against those of each subject. */
function renderNotes(key: string, { columns, side }: Matrix): Html[] {
  return (side === true ? columns : columns.slice(-1)).flatMap(({ notes, short, iteration }) =>
    noteList(
      notes.map((note) => (columns.length > 1 ? { ...note, title: `${note.title} · ${short}` } : note)),
      (item) => disputeLink(key, iteration, item),
    ),
  );
}

/** Links for the columns whose samples were played several times. */
function trialLinks(key: string, matrix: Matrix, filter: Filter): Html | undefined {
  const several = matrix.columns.filter(
    ({ iteration }) => trialColumn(matrix, { trials: String(iteration) }) !== undefined,
  );
  if (several.length === 0) return undefined;
  return html`<span class="chips"
    ><span class="soft">× trials of</span
    >${several.map(({ iteration, short }) => renderChip(key, filter, { name: 'trials', value: String(iteration), words: short }))}</span
  >`;
}

function renderMatrixFilters(key: string, matrix: Matrix, filter: Filter): Html {
  const { rule, category, layer, checker } = listChoices(matrix);
  const all: readonly ShowOption[] = ['failing', 'flaky', 'changed', 'unscored'];
  const shows = all.filter((show) => show !== 'changed' || matrix.columns.length > 1);
  const hidden = (['show', 'rule', 'category', 'layer', 'checker', 'trials'] as const).flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`];
  });
  const chips = (name: keyof Filter, label: string, choices: readonly Choice[]) =>
    choices.length === 0
      ? undefined
      : html`<p class="chips">
          <span class="soft">${label}</span
          >${choices.map(({ value, samples }) => renderChip(key, filter, { name, value, words: `${formatFilterValue(name, value)} × ${samples}` }))}
        </p>`;
  return html`<section class="card" aria-label="Filters">
    <p class="chips">
      <span class="soft">only</span
      >${shows.map((show) => renderChip(key, filter, { name: 'show', value: show, words: matrix.side === true && show === 'changed' ? 'differing' : show }))}
      ${Object.keys(filter).every((name) => name === 'trials') ? undefined : html`<a href="${resultsHref(key, formatFilterQuery(omitUndefined({ trials: filter.trials })))}">all</a>`}
    </p>
    ${chips('layer', 'failed by', layer)}${chips('checker', 'rejected by', checker)}
    <details>
      <summary>Rules, categories, words</summary>
      <div class="inside">
        ${chips('rule', 'rule', rule)}${chips('category', 'category', category)}
        <form method="get" action="${resultsHref(key)}" class="find">
          ${hidden}<label for="find">Part of a title</label>
          <input type="text" id="find" name="find" value="${filter.find ?? ''}" /><button>Find</button>
        </form>
      </div>
    </details>
  </section>`;
}

function formatFilterValue(name: keyof Filter, value: string): string {
  if (name !== 'layer') return value === 'expect' ? 'expectation' : value;
  return nameLayer(value);
}

type FilterChip = { name: keyof Filter; value: string; words: string };

/** The link of a chosen value removes it again. */
function renderChip(key: string, filter: Filter, { name, value, words }: FilterChip): Html {
  const isOn = filter[name] === value;
  const { [name]: _chosen, ...others } = filter;
  const href = resultsHref(key, formatFilterQuery(isOn ? others : { ...others, [name]: value }));
  return isOn
    ? html`<a class="chip on" href="${href}" aria-current="true">${words} ✕</a>`
    : html`<a class="chip" href="${href}">${words}</a>`;
}

/** Names every layer that a cell of the table shows. */
function renderLegend({ rows }: Matrix): Html {
  const shown = new Set(rows.flatMap(({ cells }) => cells.map((cell) => cell?.layer)));
  return html`<ul class="legend">
    <li><span class="pill good">✓</span> passed</li>
    ${LAYERS.filter(({ key }) => shown.has(key)).map(({ key, name, owner }) => html`<li><span class="pill bad">${name}</span> the cause is layer ${key}, owned by ${owner}</li>`)}
    <li><span class="pill bad">~</span> passes in some trials</li>
    <li><span class="pill plain">?</span> unscored</li>
    <li><span class="pill warn">✓?</span> passed, and the verdict is in doubt</li>
    ${rows.some(({ cells }) => cells.includes(undefined)) ? html`<li>– not there</li>` : undefined}
  </ul>`;
}
