/** The report of a batch as one self-contained page, in the dress of a run's report: no script, no request. */
import {
  batchNotes,
  countsOf,
  countsText,
  batchGroups,
  rowStatus,
  totalOf,
  type BatchGroup,
  type BatchRow,
  type BatchSummary,
} from './summary.ts';
import { count, duration, intervalText, paidCell, shortDigest, usd } from '../text/number-format.ts';
import { percent } from '../../scenario/percent.ts';
import { html, type Html, tiles, type Tile, table } from '../html/html.ts';
import { reportPage } from '../html/report-page.ts';
import { failedIn, layerColumns } from '../run/layers.ts';
import { relativeHref } from '../text/markdown.ts';
import { toneOf } from '../run/verdict.ts';

export function renderBatchHtml(summary: BatchSummary): string {
  return reportPage(
    `Batch ${summary.batch}: ${countsText(countsOf(summary))}`,
    html`
      <header class="top">
        <p class="brand">Tandem · batch report</p>
        <h1>${countsText(countsOf(summary))}</h1>
        <p class="soft">batch <code>${summary.batch}</code> · started ${summary.createdAt}</p>
      </header>
      <main>
        ${notes(summary)}${figures(summary)}${scenarios(summary)}${gates(summary)}${runs(summary)}${layers(summary)}
      </main>
      <footer><p>Written by Tandem from the journals of ${count(summary.rows.length, 'run')}.</p></footer>
    `,
  );
}

function notes(summary: BatchSummary): Html[] {
  return batchNotes(summary).map(
    ({ title, text }) =>
      html`<div class="note warn" role="note">
        <p><strong>${title}</strong> <span>${text}</span></p>
      </div>`,
  );
}

function figures(summary: BatchSummary): Html {
  const { met, notMet, waiting, stopped } = countsOf(summary);
  const total = totalOf(summary);
  const list: readonly Tile[] = [
    ['Runs', String(summary.rows.length), count(batchGroups(summary).length, 'scenario')],
    ['Met', String(met), `of ${total.judged} judged`],
    ['Not met', String(notMet), 'rejected ones included'],
    ['Waiting', String(waiting), 'at a gate'],
    ['Stopped', String(stopped), 'paused or errored'],
    ['Cost', paidCell(total), summary.budgetUsd === undefined ? 'no cap of the batch' : `of ${usd(summary.budgetUsd)}`],
  ];
  return tiles(list);
}

function tableOf(label: string, head: readonly string[], rows: readonly (readonly (string | Html)[])[]): Html {
  const rowOf = ([first = '', ...more]: readonly (string | Html)[]) =>
    html`<tr>
      <th scope="row">${first}</th>
      ${more.map((cell) => html`<td>${cell}</td>`)}
    </tr>`;
  return table({ label }, head, rows.map(rowOf));
}

function scenarios(summary: BatchSummary): Html {
  const head = ['scenario', 'runs', 'met', '95 % interval', 'mean rate', '95 % interval', 'lowest to highest', 'cost'];
  const cells = ({ mean, ...one }: BatchGroup): (string | Html)[] => [
    one.scenario,
    String(one.runs),
    `${one.met} of ${one.judged}`,
    one.judged === 0 ? '' : intervalText(one.metInterval),
    mean === undefined ? '' : html`<strong>${percent(mean.value)}</strong>`,
    mean === undefined ? '' : intervalText(mean.interval),
    mean === undefined ? '' : `${percent(mean.low)} to ${percent(mean.high)}`,
    paidCell(one),
  ];
  return html`<section class="card long">
    <h2>By scenario</h2>
    <p class="soft small">The interval of a mean draws whole runs again: samples of one run are alike.</p>
    ${tableOf('By scenario', head, batchGroups(summary).map(cells))}
  </section>`;
}

function gates({ batch, rows }: BatchSummary): Html | undefined {
  const waiting = rows.flatMap(({ run, gate }) => (gate === undefined ? [] : [{ run, ...gate }]));
  const [first] = waiting;
  if (first === undefined) return undefined;
  return html`<section class="card long">
    <h2>Gates that wait for a person</h2>
    ${tableOf(
      'Gates',
      ['run', 'gate', 'design', 'since'],
      waiting.map(({ run, id, digest, openedAt }) => [run, id, html`<code>${shortDigest(digest)}</code>`, openedAt]),
    )}
    <p class="soft small">One decision for all identical designs of this batch:</p>
    <pre>tandem gates approve ${first.run} --digest ${first.digest.slice(0, 16)} --batch ${batch}</pre>
  </section>`;
}

function runs({ rows }: BatchSummary): Html {
  const head = ['run', 'scenario', 'state', 'round', 'iteration', 'rate', '95 % interval', 'cost', 'time', 'why'];
  return html`<section class="card long">
    <h2>Run by run</h2>
    ${tableOf('Runs', head, rows.map(runCells))}
  </section>`;
}

function runCells(row: BatchRow): (string | Html)[] {
  const { rate, status } = row;
  return [
    runLink(row),
    row.scenario,
    html`<span class="pill ${toneOf(status)}">${rowStatus({ status })}</span>`,
    row.round === 0 ? '' : `r${row.round}`,
    row.iteration === 0 ? '' : String(row.iteration),
    rate === undefined ? '' : html`<strong>${percent(rate.value)}</strong> ${rate.passed} of ${rate.total}`,
    rate === undefined ? '' : intervalText(rate.interval),
    paidCell(row),
    duration(row.durationMs),
    row.why,
  ];
}

function runLink({ run, folder, status }: BatchRow): Html {
  const href = relativeHref(`../../${folder}/out/report.html`);
  const linked = href !== undefined && !['not_started', 'unreadable', 'newer'].includes(status);
  return linked ? html`<a href="${href}">${run}</a>` : html`${run}`;
}

function layers(summary: BatchSummary): Html {
  const groups = batchGroups(summary);
  const columns = layerColumns(groups.map((one) => one.layers));
  return html`<section class="card long">
    <h2>Where the failures of the newest iterations came from</h2>
    ${tableOf(
      'Layers',
      ['scenario', ...columns.map(({ key, name }) => `${key} ${name}`)],
      groups.map((one) => [one.scenario, ...columns.map(({ key }) => String(failedIn(one.layers, key)))]),
    )}
  </section>`;
}
