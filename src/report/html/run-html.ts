/** Renders `out/report.html`: the whole run on one self-contained page, without a script or a request. */
import type { DecidingMoment, Results, SampleResult, Verdict } from '../../scenario/result.ts';
import { listRuleJudges } from '../../scenario/unproven-rules.ts';
import type { GraderReport } from '../../scenario/grader.ts';
import { casesSection } from './cases-section.ts';
import { contextSection } from './context-chart.ts';
import { formatClaim, isDisputed } from '../../scenario/attribution/named-causes.ts';
import { html, type Html, renderFold, renderPlainList, renderReportTable } from './html.ts';
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
import { describeCauseLayer } from '../run/layers.ts';
import { changeText, isFlaky } from '../run/compare-iterations.ts';
import {
  decidingTrial,
  failedVerdicts,
  failsOnRule,
  groupByCause,
  listFurtherReasons,
  type FailureCause,
} from '../run/failure-causes.ts';
import { rerunCommandText } from '../run/iteration-markdown.ts';
import { relativeHref } from '../text/markdown.ts';
import { formatCount } from '../text/number-format.ts';
import { clipText } from '../text/sanitise.ts';
import { lastResults, type RunSummary } from '../run/run-summary.ts';
import { listReportNotes, describeOutcome } from '../run/run-outcome.ts';
import { gradersTable, graderLines } from '../run/graders-markdown.ts';
import { describeJudges, describeProof, findingsTable } from '../run/verification-markdown.ts';

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

function renderDetails(summary: RunSummary): Html {
  const last = lastResults(summary);
  const before = summary.iterations.flatMap(({ results }) => results ?? []).at(-2);
  const findings = last?.results.verification.strength?.findings ?? [];
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
            ${findings.length === 0 ? undefined : renderFold('To look at, though it refuses nothing', renderReportTable(findingsTable(findings), ''))}
          </section>`
    }
    <section class="card long">
      <h2>${last === undefined ? 'Failing samples' : `Failing samples of iteration ${last.results.iteration}`}</h2>
      ${failureList(summary)}
    </section>
    ${summary.cases === undefined ? undefined : casesSection(summary.cases)} ${gradersSection(last?.results.graders)}
    ${metricsSection(last?.results.metrics, before?.metrics)}
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
    ${renderReportTable(gradersTable(graders), '')} ${renderPlainList(graders.flatMap(graderLines), 'small')}
  </section>`;
}

const MAX_CHARS = 4000;
/** More samples would make the page too heavy; the rest is in the iteration's report. */
const MAX_SAMPLES = 150;

type FailureListContext = {
  base: string;
  again: (sample: string) => string;
  previous: Results | undefined;
};

function failureList(summary: RunSummary): Html {
  const last = lastResults(summary);
  if (last === undefined) return html`<p class="soft">No iteration has been evaluated yet.</p>`;
  const previous = summary.iterations.findLast((one) => one.iteration < last.iteration.iteration)?.results;
  const again = (id: string) => rerunCommandText(summary.run, id, last.results.iteration);
  const shown = { base: `../${last.iteration.outputDir}/`, again, previous };
  const causes = groupByCause(last.results);
  if (causes.length === 0) return html`<p>No sample failed in iteration ${last.results.iteration}.</p>`;
  const parts = limitSamples(causes);
  const left = causes.flatMap(({ samples }) => samples).length - parts.flatMap(({ samples }) => samples).length;
  return html`${parts.map((cause) => renderCause(cause, shown))}${left > 0 ? html`<p class="soft">${left} more stand in ${fileLink('the report of the iteration', `${shown.base}report.md`)}.</p>` : undefined}`;
}

function limitSamples(causes: readonly FailureCause[]): FailureCause[] {
  let room = MAX_SAMPLES;
  return causes.flatMap((cause) => {
    const samples = cause.samples.slice(0, room);
    room -= samples.length;
    return samples.length === 0 ? [] : [{ ...cause, samples }];
  });
}

function renderCause({ layer, title, samples }: FailureCause, shown: FailureListContext): Html {
  return html`<h3>
      ${describeCauseLayer(layer)}
      <span class="soft small">${title}, ${formatCount(samples.length, 'sample')}</span>
    </h3>
    ${samples.map((sample) => renderSample(sample, shown))}`;
}

function renderSample(sample: SampleResult, { base, again, previous }: FailureListContext): Html {
  const trial = decidingTrial(sample);
  const passed = sample.trials.filter(({ outcome }) => outcome === 'pass').length;
  const before = previous?.samples.find(({ id }) => id === sample.id);
  const change = previous && changeText(sample, before);
  const claim = formatClaim(sample);
  const reasons = listFurtherReasons(sample);
  return html`<details>
    <summary>
      <code>${sample.id}</code><span>${sample.title}</span>
      <span class="pill bad">${passed} of ${formatCount(sample.trials.length, 'trial')} passed</span
      >${change === undefined ? undefined : html`<span class="pill plain">${change}</span>`}${isFlaky(sample) ? html`<span class="pill warn">flaky</span>` : undefined}
    </summary>
    <div class="inside">
      <p class="soft small">category ${sample.category} · rules ${sample.covers.join(', ') || 'none'}</p>
      ${failedVerdicts(sample).map(renderVerdict)}
      ${
        reasons.length === 0
          ? undefined
          : html`<p><strong>Why this layer</strong></p>
              ${renderPlainList(reasons.map((why) => clipText(why, MAX_CHARS)))}`
      }
      ${claim === undefined ? undefined : html`<p>${isDisputed(sample) ? html`<span class="pill warn">Execute disagrees</span> ` : undefined}${clipText(claim, MAX_CHARS)}</p>`}
      ${trial?.deciding === undefined ? undefined : renderDecidingMoment(trial.deciding)}
      ${trial === undefined ? undefined : html`<p class="small">Trial ${trial.trial} ended with <code>${trial.stop}</code> · ${fileLink('open its trace', `${base}${trial.trace}`)}</p>`}
      <p class="small">Again, without a model: <code>${again(sample.id)}</code></p>
    </div>
  </details>`;
}

function renderDecidingMoment({ step, line, quote }: DecidingMoment): Html {
  return html`<p><strong>Decided at step ${step}</strong>, line ${line} of its trace</p>
    <pre>${clipText(quote, MAX_CHARS)}</pre>`;
}

function renderVerdict({ checker, reason, evidence, broken }: Verdict): Html {
  const who = checker === 'expect' ? html`Expectation` : html`Checker <code>${checker}</code>`;
  return html`<p>
      <strong>${who}</strong>${broken === true ? html` <span class="pill warn">the checker broke</span>` : undefined}
      ${clipText(reason, MAX_CHARS)}
    </p>
    ${evidence.length === 0 ? undefined : html`<pre>${clipText(evidence.join('\n'), MAX_CHARS)}</pre>`}`;
}

/** Links a file next to the report, or shows its path when it could lead out of the run's folder. */
function fileLink(label: string, path: string): Html {
  const href = relativeHref(path);
  return href === undefined ? html`${label}: <code>${path}</code>` : html`<a href="${href}">${label}</a>`;
}
