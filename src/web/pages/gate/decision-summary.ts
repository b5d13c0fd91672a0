/** The summary of the decision: what approval starts, what it costs, why it is due now, and how the last design did. */
import { forecastText } from '../../../report/text/forecast-text.ts';
import { paidText, formatUsd } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { layersText } from '../../../report/run/layers.ts';
import type { GateView } from '../../read/read-gate.ts';
import { evidenceLink } from '../page-links.ts';

export type DecidingInput = { view: GateView; form: object | undefined };

export function decidingSection({ view, form }: DecidingInput): Html {
  const { pack } = view;
  const { text, estimateUsd, forecast, spentUsd, uncertainUsd, budgetUsd, minutesPerIteration } = pack.effect;
  return html`<section class="card ask" aria-labelledby="ask-title">
    <h2 id="ask-title">${decidingTitle(view, form !== undefined)}</h2>
    <p class="lead">${text}</p>
    <dl class="facts-row">
      <div>
        <dt>${view.open === undefined ? 'Still to pay then' : 'Still to pay'}</dt>
        ${
          forecast === undefined
            ? html`<dd>${formatUsd(estimateUsd)}</dd>`
            : html`<dd title="${forecastText(forecast)}">${formatUsd(forecast.p50)}–${formatUsd(forecast.p90)}</dd>`
        }
      </div>
      <div>
        <dt>${view.open === undefined ? 'Spent then' : 'Spent'}</dt>
        <dd>${paidText({ usd: spentUsd, uncertainUsd })} <small>of ${formatUsd(budgetUsd)}</small></dd>
      </div>
      ${renderIterationTime(minutesPerIteration)}
    </dl>
  </section>`;
}

/** The title of an answered gate asks for nothing. */
function decidingTitle({ open, decisions }: GateView, mayAnswer: boolean): string {
  if (open !== undefined) return mayAnswer ? 'You decide' : 'What is to be decided';
  return decisions.length > 0 ? 'What was decided on' : 'What this gate was about';
}

/** Returns undefined before the first iteration, when no time is known, and for less than a minute. */
function renderIterationTime(minutes: number | undefined): Html | undefined {
  if (minutes === undefined || minutes < 1) return undefined;
  return html`<div>
    <dt>One iteration takes</dt>
    <dd>~${Math.ceil(minutes)} min</dd>
  </div>`;
}

export function whySection(key: string, { state, pack: { why, round, summary } }: GateView): Html {
  const last = state.iterations.findLast((one) => one.round < round);
  const failed = last === undefined ? '' : layersText(last.layers);
  return html`<section class="card" aria-labelledby="why-title">
    <h2 id="why-title">${round === 1 ? 'Why now' : 'Why again'}</h2>
    <p>${why.text}</p>
    <details>
      <summary>evidence</summary>
      <div class="inside">
        ${last === undefined || last.total === 0 ? undefined : html`<p>Iteration ${last.iteration}: ${last.passed} of ${last.total} passed. ${failed === '' ? '' : `Failures: ${failed}.`}</p>`}
        <p class="evidence">
          ${why.evidence.map(({ text, path }) => html`<span>${evidenceLink(key, path, text)}</span>`)}
        </p>
        ${summary.trim() === '' ? undefined : html`<p class="quote">${summary}</p>`}
      </div>
    </details>
  </section>`;
}

/** The summary is the agent's claim, so it is folded; the changes themselves are shown below it. */
export function summaryFold({ summary }: { summary: string }): Html | undefined {
  if (summary.trim() === '') return undefined;
  return html`<details class="small">
    <summary>summary</summary>
    <p class="quote">${summary}</p>
  </details>`;
}
