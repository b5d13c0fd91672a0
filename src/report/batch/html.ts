/** The report of a batch as one self-contained page, in the dress of a run's report: no script, no request. */
import { batchNotes, countsOf, countsText, batchGroups, totalOf, type BatchSummary } from './summary.ts';
import { count, paidCell, usd } from '../text/number-format.ts';
import { html, type Html, tiles, type Tile, reportTable } from '../html/html.ts';
import { gatesTable, groupsTable, layersTable, runsTable } from './tables.ts';
import { reportPage } from '../html/report-page.ts';

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

function scenarios(summary: BatchSummary): Html {
  return html`<section class="card long">
    <h2>By scenario</h2>
    <p class="soft small">The interval of a mean draws whole runs again: samples of one run are alike.</p>
    ${reportTable(groupsTable(batchGroups(summary)))}
  </section>`;
}

function gates({ batch, rows }: BatchSummary): Html | undefined {
  const waiting = rows.flatMap(({ run, gate }) => (gate === undefined ? [] : [{ run, ...gate }]));
  const [first] = waiting;
  if (first === undefined) return undefined;
  return html`<section class="card long">
    <h2>Gates that wait for a person</h2>
    ${reportTable(gatesTable(rows))}
    <p class="soft small">One decision for all identical designs of this batch:</p>
    <pre>tandem gates approve ${first.run} --digest ${first.digest.slice(0, 16)} --batch ${batch}</pre>
  </section>`;
}

function runs({ rows }: BatchSummary): Html {
  return html`<section class="card long">
    <h2>Run by run</h2>
    ${reportTable(runsTable(rows))}
  </section>`;
}

function layers(summary: BatchSummary): Html {
  return html`<section class="card long">
    <h2>Where the failures of the newest iterations came from</h2>
    ${reportTable(layersTable(batchGroups(summary)))}
  </section>`;
}
