/** One run: its status, rates, costs and story, with links to its gates, samples and conversations. */
import { nameLosses } from '../../../scenario/lost-by-user.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { findLayer } from '../../../report/run/layers.ts';
import {
  renderRunBanner,
  renderRunCharts,
  renderRunCompactions,
  renderRunCost,
  renderRunFigures,
  renderTimeline,
} from '../../../report/html/sections.ts';
import type { RunSummary } from '../../../report/run/run-summary.ts';
import { passedText, listReportNotes } from '../../../report/run/run-outcome.ts';
import type { News } from '../../read/run-news.ts';
import { renderLiveStatus, renderPageHeader } from '../layout.ts';
import { batchHref, disputeLink, gateHref, resultsHref, runHref, sampleHref } from '../page-links.ts';
import { noteList } from '../../../report/html/note-list.ts';
import { outcomeTone } from '../results/describe-cell.ts';

export type RunPage = {
  key: string;
  summary: RunSummary;
  news: Omit<News, 'work'>;
  agents: readonly string[];
  batch: string | undefined;
  /** The next step in its state. */
  next: Html;
  /** Set for visitors who may stop or continue the run. */
  orders?: Html | undefined;
};

export function runPage({ key, summary, news, agents, batch, orders, next }: RunPage): Html {
  const { title, scenario, simulated } = summary;
  const meta = html`<code>${scenario}</code
    ><span>run <code>${key}</code></span>
    ${batch === undefined ? undefined : html`<span>of batch <a href="${batchHref(batch)}">${batch}</a></span>`}
    ${simulated ? html`<span class="pill loud">SIMULATED</span>` : undefined}`;
  return html`${renderPageHeader({ brand: 'Run', title }, meta)}
    ${renderRunBanner(summary, html`${next} ${renderLiveStatus(news.status, true)}`)}${noteList(listReportNotes(summary), (item) => disputeLink(key, summary.iterations.at(-1)?.iteration ?? 1, item))}
    ${renderRunFigures(summary)}${renderRunCharts(summary)}
    <section class="card">
      <h2>What happened</h2>
      ${renderTimeline(summary)}
      <p class="evidence">
        ${summary.rounds.map(({ round }) => html`<a href="${gateHref(key, `HITL-1.r${round}`)}">gate r${round}</a>`)}
      </p>
    </section>
    ${samplesSection(key, summary)}
    <section class="card">
      <h2>Conversations</h2>
      <p class="evidence">
        ${agents.map((agent) => html`<a href="${runHref(key)}/transcripts/${agent}">${agent}</a>`)}
      </p>
      <h3>Compactions</h3>
      ${renderRunCompactions(summary)}
      <h3>Cost by agent</h3>
      ${renderRunCost(summary)}
    </section>
    ${orders}`;
}

/** The page stays light however many samples there are: the rest is in the table. */
const MOST = 20;

function samplesSection(key: string, { iterations }: RunSummary): Html | undefined {
  const last = iterations.findLast(({ results }) => results !== undefined);
  if (last === undefined) return undefined;
  const { iteration, results, total } = last;
  const ordered = (results?.samples ?? []).toSorted(
    (one, other) => rankOutcome(one.outcome) - rankOutcome(other.outcome),
  );
  return html`<section class="card" id="samples">
    <div class="head">
      <h2>Samples of iteration ${iteration}: ${passedText(last)} of ${total} passed</h2>
      <a class="button" href="${resultsHref(key)}">All samples and iterations</a>
    </div>
    <ul class="checks">
      ${ordered.slice(0, MOST).map((sample) => {
        const { id, title, outcome } = sample;
        const layer = findLayer(sample);
        return html`<li>
          <span class="pill ${outcomeTone(outcome)}">${outcome}</span>
          <span
            ><a href="${sampleHref(key, iteration, id)}">${title}</a
            >${layer === undefined ? undefined : html` <span class="soft small">cause: ${layer.name}</span>`}${outcome === 'unscored' ? html` <span class="soft small">${nameLosses(sample)}</span>` : undefined}</span
          >
        </li>`;
      })}
    </ul>
  </section>`;
}

const rankOutcome = (outcome: string): number => ['fail', 'unscored', 'pass'].indexOf(outcome);
