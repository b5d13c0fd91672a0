/** Renders the report of a batch as one self-contained page in the style of a run's report: no script, no request. */
import {
  batchNotes,
  countRuns,
  formatApproveCommands,
  formatRunCounts,
  groupByScenario,
  summariseAllRuns,
  type BatchSummary,
} from './summary.ts';
import { formatCount, paidCell, formatUsd } from '../text/number-format.ts';
import { html, type Html, renderTiles, renderReportTable } from '../html/html.ts';
import { gatesTable, groupsTable, layersTable, runsTable } from './tables.ts';
import { noteList } from '../html/note-list.ts';
import { reportPage } from '../html/report-page.ts';

export function renderBatchHtml(summary: BatchSummary, style: string): string {
  const layers = renderReportTable(layersTable(groupByScenario(summary)));
  const notes = batchNotes(summary).map((note) => ({ tone: 'warn' as const, ...note }));
  return reportPage({
    style,
    title: `Batch ${summary.batch}: ${formatRunCounts(countRuns(summary))}`,
    body: html`
      <header class="top">
        <p class="brand">Tandem · batch report</p>
        <h1>${formatRunCounts(countRuns(summary))}</h1>
        <p class="soft">batch <code>${summary.batch}</code> · started ${summary.createdAt}</p>
      </header>
      <main>
        ${noteList(notes)}${renderFigures(summary)}${renderScenarios(summary)}${renderGates(summary)}${renderSection('Run by run', renderReportTable(runsTable(summary.rows)))}${renderSection('Where the failures of the newest iterations came from', layers)}
      </main>
      <footer><p>Written by Tandem from the journals of ${formatCount(summary.rows.length, 'run')}.</p></footer>
    `,
  });
}

function renderFigures(summary: BatchSummary): Html {
  const { met, notMet, waiting, stopped } = countRuns(summary);
  const total = summariseAllRuns(summary);
  const cap = summary.budgetUsd === undefined ? 'no cap of the batch' : `of ${formatUsd(summary.budgetUsd)}`;
  return renderTiles([
    ['Runs', String(summary.rows.length), formatCount(groupByScenario(summary).length, 'scenario')],
    ['Met', String(met), `of ${total.judged} judged`],
    ['Not met', String(notMet), 'rejected ones included'],
    ['Waiting', String(waiting), 'at a gate'],
    ['Stopped', String(stopped), 'paused or errored'],
    ['Cost', paidCell(total), cap],
  ]);
}

function renderScenarios(summary: BatchSummary): Html {
  const table = renderReportTable(groupsTable(groupByScenario(summary)));
  return renderSection(
    'By scenario',
    html`<p class="soft small">The interval of a mean is one of whole runs, because samples of one run are alike.</p>
      ${table}`,
  );
}

function renderGates(summary: BatchSummary): Html | undefined {
  const commands = formatApproveCommands(summary);
  if (commands.length === 0) return undefined;
  return renderSection(
    'Gates that wait for a person',
    html`${renderReportTable(gatesTable(summary.rows))}
      <p class="soft small">All of them are on one page (tandem serve). On a terminal, one decision for each design:</p>
      <pre>${commands.join('\n')}</pre>`,
  );
}

function renderSection(title: string, body: Html): Html {
  return html`<section class="card long">
    <h2>${title}</h2>
    ${body}
  </section>`;
}
