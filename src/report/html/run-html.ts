/** Renders `out/report.html`: the whole run on one self-contained page, without a script or a request. */
import type { Results } from '../../scenario/result.ts';
import { listRuleJudges } from '../../scenario/unproven-rules.ts';
import type { GraderReport } from '../../scenario/grader.ts';
import { casesSection } from './cases-section.ts';
import { contextSection } from './context-chart.ts';
import { failureList } from './failure-list.ts';
import { html, type Html, renderReportTable } from './html.ts';
import { metricsSection } from './metrics-section.ts';
import { noteList } from './note-list.ts';
import { reportPage } from './report-page.ts';
import {
  renderRunBanner,
  renderRunCharts,
  renderRunCompactions,
  renderRunCost,
  renderRunFacts,
  renderRunFigures,
  renderTimeline,
} from './sections.ts';
import { failsOnRule } from '../run/failure-causes.ts';
import { lastResults, type RunSummary } from '../run/run-summary.ts';
import { listReportNotes, describeOutcome } from '../run/run-outcome.ts';
import { gradersTable, graderLines } from '../run/graders-markdown.ts';
import { describeJudges, describeProof } from '../run/verification-markdown.ts';

export function renderRunHtml(summary: RunSummary, style: string): string {
  return reportPage({
    style,
    title: `${summary.title}: ${describeOutcome(summary).title}`,
    body: html`
      ${renderHeader(summary)}
      <main>
        ${renderRunBanner(summary)}${noteList(listReportNotes(summary), placeLink)}${renderRunFigures(summary)}${renderRunCharts(summary)}${renderDetails(summary)}
      </main>
      <footer>
        <p>Written by Tandem from the journal of run ${summary.run}.</p>
        <p class="paper-only">The evidence, rules, cases, metrics and contexts are on its page, not on paper.</p>
      </footer>
    `,
  });
}

function renderHeader({ title, scenario, run, simulated }: RunSummary): Html {
  return html`<header class="top">
    <p class="brand">Tandem · evaluation report</p>
    <h1>${title}</h1>
    <p class="soft">
      <code>${scenario}</code> · run
      <code>${run}</code>${simulated ? html` <span class="pill loud">SIMULATED</span>` : undefined}
    </p>
  </header>`;
}

const placeLink = ({ text, path, line }: { text: string; path: string; line?: number | undefined }): Html =>
  html`<a href="../${path}">${text}</a>${line === undefined ? undefined : ` (line ${line})`}`;

/** Returns the metrics of the iteration before the last one with results. */
function metricsBefore({ iterations }: RunSummary) {
  return iterations.flatMap(({ results }) => results ?? []).at(-2)?.metrics;
}

function renderDetails(summary: RunSummary): Html {
  const last = lastResults(summary);
  return html`<section class="card long">
      <h2>What happened</h2>
      ${renderTimeline(summary)}
    </section>
    ${
      last === undefined
        ? undefined
        : html`<section class="card long screen-only">
            <h2>Rules, iteration ${last.results.iteration}</h2>
            <p>${describeProof(last.results.verification)}</p>
            ${renderRules(last.results)}
          </section>`
    }
    <section class="card long">
      <h2>${last === undefined ? 'Failing samples' : `Failing samples of iteration ${last.results.iteration}`}</h2>
      ${failureList(summary)}
    </section>
    ${summary.cases === undefined ? undefined : casesSection(summary.cases)} ${gradersSection(last?.results.graders)}
    ${metricsSection(last?.results.metrics, metricsBefore(summary))}
    <section class="card long screen-only">
      <h2>Context compactions</h2>
      <p class="soft small">How the agents’ conversations were fitted into their windows.</p>
      ${renderRunCompactions(summary)}
    </section>
    ${contextSection(summary)}
    <div class="grid">
      <section class="card">
        <h2>Cost by agent</h2>
        ${renderRunCost(summary)}
      </section>
      <section class="card">
        <h2>How this was run</h2>
        ${renderRunFacts(summary)}
      </section>
    </div>`;
}

/** Renders how the samples of each rule ended, who judges it, and why a rule is not proven. */
function renderRules(results: Results): Html {
  const { verification, unproven = [], byRule, samples } = results;
  const judges = listRuleJudges(verification);
  const rules = [...new Set([...Object.keys(judges), ...Object.keys(byRule)])];
  return renderReportTable({
    label: 'Rules',
    head: ['rule', 'samples passed', 'failed on this rule', 'judged by', 'not proven'],
    rows: rules.map((rule) => {
      const { why = '', allowed } = unproven.find((one) => one.rule === rule) ?? {};
      const { passed, total } = byRule[rule] ?? { passed: 0, total: 0 };
      return [
        { code: rule },
        `${passed} of ${total}`,
        String(samples.filter((sample) => failsOnRule(rule, sample, results)).length),
        describeJudges(judges[rule] ?? []),
        { text: allowed === undefined ? why : `${why}; allowed: ${allowed}` },
      ];
    }),
  });
}

/** Renders the graders: how far people's labels confirm the model's verdicts, and the corrected rate. */
function gradersSection(graders: readonly GraderReport[] = []): Html | undefined {
  if (graders.length === 0) return undefined;
  return html`<section class="card long" id="graders">
    <h2>Graders: verdicts that a model gave</h2>
    <p class="soft small">
      Sensitivity: of the trials that people pass, how many it passes. Specificity: of those that people fail, how many
      it fails. The corrected rate takes both into account.
    </p>
    ${renderReportTable(gradersTable(graders), '')}
    <ul class="plain-list small">
      ${graders.flatMap(graderLines).map((line) => html`<li>${line}</li>`)}
    </ul>
  </section>`;
}
