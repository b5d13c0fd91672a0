/** Two to four runs sample by sample, with the baseline marked and statistics for each of the others. */
import { html, type Html, renderDataTable } from '../../../report/html/html.ts';
import { comparedMetricRows } from '../../../report/html/metrics-section.ts';
import { describeComparison } from '../../../report/run/comparison-text.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import { formatPercent } from '../../../scenario/percent.ts';
import type { ComparedLabel } from '../../../scenario/statistics/compare-baseline.ts';
import type { ComparedRow, ComparedRun, Comparison } from '../../read/results/compare-runs.ts';
import { renderPageHeader } from '../layout.ts';
import { resultsHref, sampleHref } from '../page-links.ts';
import { outcomeTone } from './describe-cell.ts';
import { renderPager, selectPage } from './pager.ts';

export function comparePage({ base, runs, rows }: Comparison, page: number): Html {
  const { rows: shown, ...here } = selectPage(rows, page);
  const names = runs.map(({ name }) => name);
  const shownNames = listNames(runs);
  const scenarios = [...new Set(runs.map(({ scenario }) => scenario))];
  const keys = [...new Set(runs.map(({ key }) => key))];
  const meta = html`<a href="/runs">Other runs</a
    ><code>${scenarios.join(', ')}</code
    >${keys.length === 1 ? html`<span>run <code>${keys.join()}</code></span>` : undefined}`;
  return html`${renderPageHeader({ brand: 'Compare', title: shownNames.join(' and ') }, meta)}
    ${
      scenarios.length === 1
        ? undefined
        : html`<div class="note warn" role="note"><p>These are runs of different scenarios.</p></div>`
    }
    <section class="card">
      <h2>Against the baseline ${shownNames[base]}</h2>
      ${renderDataTable(
        { label: 'Runs against the baseline', kind: '' },
        ['run', 'samples that pass', 'trials that pass', 'what can be told'],
        runs.map((run, index) => summaryRow(run, { shown: shownNames[index] ?? '', isBase: index === base, names })),
      )}
    </section>
    ${renderComparedMetrics(runs, shownNames)}
    <section class="card">
      <h2>Sample by sample</h2>
      <p class="soft small">Where the runs differ comes first.</p>
      ${renderDataTable(
        { label: 'Samples by runs', kind: 'pairs' },
        ['sample', ...shownNames.map((name, index) => `${name}${index === base ? ' (baseline)' : ''}`)],
        shown.map((row) => sampleRow(row, runs, base)),
      )}
      ${renderPager(here, (number) => compareHref(names, names[base] ?? '', number))}
    </section>`;
}

/** No value is marked as better, because only people know which one is. */
function renderComparedMetrics(runs: readonly ComparedRun[], names: readonly string[]): Html | undefined {
  const rows = runs.flatMap((run, index) => comparedMetricRows(run.comparison?.metrics ?? [], names[index] ?? ''));
  if (rows.length === 0) return undefined;
  return html`<section class="card" id="metrics">
    <h2>Numbers of checkers and graders</h2>
    ${renderDataTable(
      { label: 'Numbers against the baseline', kind: '' },
      ['checker', 'number', 'run', 'baseline', 'mean', 'difference', '95 % interval', 'what this shows'],
      rows,
    )}
  </section>`;
}

function compareHref(names: readonly string[], base: string, page = 1): string {
  const encode = (name: string) => encodeURIComponent(name.toWellFormed());
  const more = page === 1 ? '' : `&page=${page}`;
  return `/compare?${names.map((name) => `run=${encode(name)}&`).join('')}base=${encode(base)}${more}`;
}

/** Names only what tells the results apart: iterations of one run by their number, evaluations by their own name. */
function listNames(runs: readonly ComparedRun[]): string[] {
  const isOneRun = new Set(runs.map(({ key }) => key)).size === 1;
  const isFirst = runs.every(({ iteration }) => iteration === 1);
  return runs.map(({ key, iteration }) => {
    if (isOneRun) return `iteration ${iteration}`;
    return isFirst ? key : `${key}, iteration ${iteration}`;
  });
}

const TONES: Readonly<Partial<Record<ComparedLabel, string>>> = {
  regression: 'bad',
  soft: 'warn',
  flaky: 'warn',
  incomplete: 'warn',
  better: 'good',
};

type SummaryInput = { shown: string; isBase: boolean; names: readonly string[] };

function summaryRow(run: ComparedRun, { shown, isBase, names }: SummaryInput): Html {
  const { key, results, comparison, name } = run;
  const passing = results.samples.filter(({ outcome }) => outcome === 'pass').length;
  const head = html`<th scope="row"><a href="${resultsHref(key)}">${shown}</a></th>`;
  const isAlone = isBase || comparison === undefined;
  return html`<tr class="${isAlone ? 'base' : ''}">
    ${head}
    <td>${passing} of ${results.samples.length}</td>
    <td>${formatPercent(comparison?.rates.now ?? results.passAtOne ?? results.successRate)}</td>
    <td class="wide">
      ${isAlone ? 'the others are compared with this one' : html`${describeComparison(comparison)} <a href="${compareHref(names, name)}">make it the baseline</a>`}
    </td>
  </tr>`;
}

function sampleRow({ id, title, cells }: ComparedRow, runs: readonly ComparedRun[], base: number): Html {
  return html`<tr data-row tabindex="-1">
    <th scope="row">${clipText(title, 200)}</th>
    ${cells.map(({ sample, tally, compared }, index) => {
      const run = runs[index];
      const kind = index === base ? 'base' : '';
      if (sample === undefined || run === undefined) return html`<td class="${kind}">–</td>`;
      const label = compared === undefined || compared.label === 'same' ? '' : compared.label;
      const p = compared?.p === undefined || label === '' ? '' : `, p ${compared.p.toFixed(3)}`;
      return html`<td class="${kind}">
        <a class="${index === base ? '' : 'proof'}" href="${sampleHref(run.key, run.iteration, id)}"
          ><span class="pill ${outcomeTone(sample.outcome)}">${sample.outcome}</span></a
        >
        ${tally.total > 1 ? `${tally.passed} of ${tally.total}` : ''}
        ${label === '' ? undefined : html`<span class="pill ${TONES[compared?.label ?? 'same'] ?? ''}">${label}${p}</span>`}
      </td>`;
    })}
  </tr>`;
}
