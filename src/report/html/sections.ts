/** The parts that the report and the live page of a run show alike: verdict, figures, charts, story, cost, and how it was made. */
import { forecastAgainst } from '../text/forecast-text.ts';
import {
  formatCount,
  formatDuration,
  formatUsd,
  paidCell,
  rateInterval,
  rateText,
  uncertainNote,
} from '../text/number-format.ts';
import { shellQuote } from '../text/sanitise.ts';
import { countEvaluated, durationSuffix, paidSoFar, shownFolder, type RunSummary } from '../run/run-summary.ts';
import { buildTimeline, type TimelineEntry } from '../run/timeline.ts';
import {
  describeAgainst,
  describeOutcome,
  getSandboxName,
  listPolicyActors,
  listReportNotes,
  passedText,
  targetText,
} from '../run/run-outcome.ts';
import { changesTable, compactionsTable, iterationsTable, spentTable } from '../run/iteration-tables.ts';
import { rateChart, renderLayerTable } from './iteration-charts.ts';
import { html, type Html, renderReportTable, renderTiles } from './html.ts';

export function renderTimeline(summary: RunSummary): Html {
  return html`<ol class="line">
    ${buildTimeline(summary).map(renderTimelineEntry)}
  </ol>`;
}

function renderTimelineEntry({ tone, title, text, actor, quotes }: TimelineEntry): Html {
  const by =
    actor === undefined
      ? undefined
      : html` by
          <code>${actor.name}</code
          >${actor.policy ? html` <span class="pill loud">POLICY, NOT A PERSON</span>` : undefined}`;
  return html`<li class="t-${tone}">
    <strong>${title}</strong
    >${by}${text === '' ? undefined : html`<p class="soft">${text}</p>`}${quotes.map((quote) => html`<blockquote>${quote}</blockquote>`)}
  </li>`;
}

/** The outcome in a few words, with its number and what speaks against that; a live page adds what is `below`. */
export function renderRunBanner(summary: RunSummary, below?: Html): Html {
  const { tone, title, detail } = describeOutcome(summary);
  const against = describeAgainst(listReportNotes(summary));
  const last = summary.iterations.at(-1);
  return html`<section class="card banner ${tone}" aria-label="Verdict">
    <div class="why">
      <p class="title">${title}</p>
      ${against === undefined ? undefined : html`<p><strong>${against}</strong></p>`}
      <p>${summary.why === '' ? detail : summary.why}</p>
      ${below}
    </div>
    ${
      last === undefined
        ? undefined
        : html`<div>
            <p class="rate">${rateText(last)}</p>
            <p>
              ${passedText(last)} of ${formatCount(last.total, 'sample')} · 95 % interval ${rateInterval(last)}<br />${targetText(summary)}
            </p>
          </div>`
    }
  </section>`;
}

export function renderRunFigures({ rounds, iterations, spend, ...summary }: RunSummary): Html {
  const { status, budgetUsd, forecast, compactions, durationMs } = summary;
  const cap = `of ${formatUsd(budgetUsd)}${forecast === undefined ? '' : `; ${forecastAgainst(forecast, paidSoFar({ spend, status }))}`}`;
  const byAgent = (agent: string) => compactions.filter((one) => one.agent === agent).length;
  const agents = formatCount(Object.keys(spend.byAgent).length, 'agent');
  return renderTiles([
    ['Rounds', String(rounds.length), 'designs at HITL-1'],
    ['Iterations', String(iterations.length), countEvaluated(iterations)],
    ['Cost', paidCell(spend), uncertainNote(spend, cap)],
    ['Model calls', String(spend.calls), `${agents}${durationSuffix(spend)}`],
    ['Compactions', String(compactions.length), `Init ${byAgent('init')}, Execute ${byAgent('execute')}`],
    ['Time', formatDuration(durationMs), 'wall clock'],
  ]);
}

export function renderRunCompactions(summary: RunSummary): Html {
  const table = compactionsTable(summary);
  return table === undefined ? html`<p class="soft">No context was compacted.</p>` : renderReportTable(table);
}

export function renderRunCost({ spend }: RunSummary): Html {
  return renderReportTable(spentTable('agent', spend.byAgent, spend));
}

/** Renders what moved the rate from each iteration to the next, and the numbers of each. */
export function iterationTables({ iterations }: RunSummary): Html {
  const changes = changesTable(iterations);
  return html`${
      changes === undefined
        ? undefined
        : html`<h3>What moved the rate, in percentage points</h3>
            ${renderReportTable(changes, '')}`
    }
    <details>
      <summary>The numbers behind the pictures</summary>
      ${renderReportTable(iterationsTable(iterations))}
    </details>`;
}

export function renderRunFacts(summary: RunSummary): Html {
  const actors = listPolicyActors(summary);
  const facts: readonly (readonly [name: string, value: Html])[] = [
    [
      'Model endpoint',
      html`<code>${summary.endpoint}</code>
        ${summary.simulated ? html`<span class="pill loud">SIMULATED</span>` : undefined}`,
    ],
    [
      'What is real',
      summary.simulated
        ? html`Tool calls, generated code, checks, scores and this record. The model’s answers are scripted.`
        : html`Everything: the answers came from the model at the endpoint.`,
    ],
    ['Generated code', html`confined by ${getSandboxName(summary)}`],
    ['At the gates', actors.length === 0 ? html`persons only` : html`policies: ${actors.join(', ')}`],
    ['Started', html`${summary.startedAt}, took ${formatDuration(summary.durationMs)}`],
    ['Run folder', html`<code>${shownFolder(summary.folder)}</code>`],
    ['See it again', html`<code>tandem report ${shellQuote(summary.run)}</code>`],
  ];
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

export function renderRunCharts(summary: RunSummary): Html | undefined {
  if (summary.iterations.length === 0) return undefined;
  return html`<div class="grid">
      <section class="card">
        <h2>Success rate per iteration</h2>
        <p class="soft small">Dots are measured rates, bars their 95 % intervals; r1, r2 … are designs.</p>
        <div class="scroll" tabindex="0" role="region" aria-label="Rate chart">
          ${rateChart(summary.iterations, summary.target)}
        </div>
      </section>
      <section class="card">
        <h2>Where the failures came from</h2>
        <p class="soft small">Failing samples per iteration, by the layer that the evidence points to.</p>
        ${renderLayerTable(summary.iterations)}
      </section>
    </div>
    <section class="card long">${iterationTables(summary)}</section>`;
}
