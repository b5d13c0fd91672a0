/** Tables and lists of the report page: timeline, cost, compactions, iterations, and how the run was made. */
import { formatCount, formatDuration, paidCell, formatTokens, uncertainNote } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { shellQuote } from '../text/sanitise.ts';
import { countEvaluated, durationSuffix, shownFolder, type RunSummary } from '../run/run-summary.ts';
import { buildTimeline, type TimelineEntry } from '../run/timeline.ts';
import { listPolicyActors, getSandboxName } from '../run/run-outcome.ts';
import { changesTable, iterationsTable } from '../run/iteration-tables.ts';
import { layerChart, layerLegend } from './layer-chart.ts';
import { rateChart } from './rate-chart.ts';
import { html, type Html, renderReportTable, type Tile } from './html.ts';

/** The figures of a run that every page of it begins with; `cap` says beside the cost how much it may be. */
export function listRunTiles({ rounds, iterations, spend }: RunSummary, cap: string): Tile[] {
  const agents = formatCount(Object.keys(spend.byAgent).length, 'agent');
  return [
    ['Rounds', String(rounds.length), 'designs at HITL-1'],
    ['Iterations', String(iterations.length), countEvaluated(iterations)],
    ['Cost', paidCell(spend), uncertainNote(spend, cap)],
    ['Model calls', String(spend.calls), `${agents}${durationSuffix(spend)}`],
  ];
}

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

export function costTable({ spend }: RunSummary): Html {
  const agents = Object.entries(spend.byAgent).sort(([, one], [, two]) => two.usd - one.usd);
  const most = Math.max(...agents.map(([, cost]) => cost.usd), Number.MIN_VALUE);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Cost by agent">
    <table>
      <thead>
        <tr>
          <th scope="col">agent</th>
          <th scope="col" class="share"><div class="sr">share</div></th>
          <th scope="col" class="num">cost</th>
          <th scope="col" class="num">calls</th>
          ${spend.cacheRead === undefined ? undefined : html`<th scope="col" class="num">input from the cache</th>`}
          ${spend.ms === undefined ? undefined : html`<th scope="col" class="num">waited for answers, calls added up</th>`}
        </tr>
      </thead>
      <tbody>
        ${agents.map(
          ([agent, cost]) =>
            html`<tr>
              <th scope="row">${agent}</th>
              <td class="share">${renderMeter([{ share: cost.usd / most }])}</td>
              <td class="num">${paidCell(cost)}</td>
              <td class="num">${cost.calls}</td>
              ${spend.cacheRead === undefined ? undefined : html`<td class="num">${cost.cacheRead === undefined ? '–' : formatPercent(cost.cacheRead)}</td>`}
              ${spend.ms === undefined ? undefined : html`<td class="num">${formatDuration(cost.ms ?? Number.NaN)}</td>`}
            </tr>`,
        )}
        <tr>
          <th scope="row">all</th>
          <td class="share"></td>
          <td class="num"><strong>${paidCell(spend)}</strong></td>
          <td class="num"><strong>${spend.calls}</strong></td>
          ${spend.cacheRead === undefined ? undefined : html`<td class="num"><strong>${formatPercent(spend.cacheRead)}</strong></td>`}
          ${spend.ms === undefined ? undefined : html`<td class="num"><strong>${formatDuration(spend.ms)}</strong></td>`}
        </tr>
      </tbody>
    </table>
  </div>`;
}

function renderMeter(parts: readonly { share: number; back?: boolean }[]): Html {
  const width = (share: number) => Math.round(Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0)) * 1000) / 10;
  return html`<span class="meter" aria-hidden="true"
    >${parts.map(({ share, back }) => html`<i class="${back === true ? 'back' : 'front'}" style="width:${width(share)}%"></i>`)}</span
  >`;
}

export function compactionTable({ compactions }: RunSummary): Html {
  if (compactions.length === 0) return html`<p class="soft">No context was compacted.</p>`;
  const most = Math.max(1, ...compactions.map(({ tokensBefore }) => tokensBefore));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Compactions">
    <table>
      <thead>
        <tr>
          <th scope="col">agent</th>
          <th scope="col" class="num">tokens before → after</th>
          <th scope="col"><div class="sr">size</div></th>
          <th scope="col" class="num">steps summarised</th>
          <th scope="col" class="num">kept</th>
          <th scope="col">reason</th>
          <th scope="col">entry</th>
        </tr>
      </thead>
      <tbody>
        ${compactions.map(
          (one) =>
            html`<tr>
              <th scope="row">${one.agent}</th>
              <td class="num">${formatTokens(one.tokensBefore)} → ${formatTokens(one.tokensAfter)}</td>
              <td>
                ${renderMeter([{ share: one.tokensBefore / most, back: true }, { share: one.tokensAfter / most }])}
              </td>
              <td class="num">${one.stepsSummarised}</td>
              <td class="num">${one.stepsKept}</td>
              <td class="wide">${one.reason}</td>
              <td><code>${one.entry}</code></td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
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
        <div class="scroll" tabindex="0" role="region" aria-label="Layer chart">${layerChart(summary.iterations)}</div>
        ${layerLegend(summary.iterations)}
      </section>
    </div>
    <section class="card long">${iterationTables(summary)}</section>`;
}
