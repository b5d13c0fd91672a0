/** One sample: its outcome and why, the verdicts of each trial, the subject's actions and their effect on the world. */
import { formatCount, formatDuration, formatUsd } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { describeCauseLayer, findLayer } from '../../../report/run/layers.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import { listReasons } from '../../../report/run/failure-causes.ts';
import { formatClaim } from '../../../scenario/attribution/named-causes.ts';
import type { TraceLine } from '../../../scenario/trace.ts';
import { MOST_LINES, type SampleView } from '../../read/read-sample.ts';
import type { SampleContext } from '../../read/results/sample-context.ts';
import { componentHref, resultsHref, runHref, sampleHref, trialHref } from '../page-links.ts';
import { verdictList, type HiddenVerdicts } from '../results/verdict-list.ts';
import { lineBody, whoText } from '../results/trace-page.ts';
import { worldChange } from '../results/world-change.ts';
import { outcomeTone } from '../results/describe-cell.ts';

const LIMIT = 4000;

export type SamplePage = {
  key: string;
  /** False for an evaluation by `tandem evaluate`. */
  isRun: boolean;
  view: SampleView;
  around: SampleContext;
  /** The filter that the reader came with, as in the address of the results page. */
  query: string;
  hidden: HiddenVerdicts;
  /** The page for objecting to a verdict; undefined where no agent would read the objection. */
  disagree: string | undefined;
};

export function samplePage({ key, isRun, view, around, query, hidden, disagree }: SamplePage): Html {
  const { result, sample, where } = view;
  return html`<header>
      <p class="brand">Sample · ${where}</p>
      <h1>${result.title}</h1>
      <p class="meta">
        <span class="pill ${outcomeTone(result.outcome)}">${result.outcome}</span><code>${result.id}</code
        ><span>category ${result.category}</span
        ><span>rules ${result.covers.join(', ') || 'none'}</span
        >${isRun ? html`<a href="${runHref(key)}">The run</a>` : undefined}<a href="${resultsHref(key, query)}"
          >All results</a
        >
        ${disagree === undefined ? undefined : html`<a href="${disagree}">Tell Execute what is wrong</a>`}
      </p>
      ${renderSampleLinks({ key, view, around, query })}
    </header>
    ${renderAttribution(view)}${sample === undefined ? undefined : renderExpectation(sample)}${renderRulesAndCode(key, view, around)}
    ${view.trials.map((trial) => trialSection(trial, { key, view, hidden }))}`;
}

/** Links to the samples before and after, and to the same sample in other iterations. */
function renderSampleLinks({ key, view, around, query }: Pick<SamplePage, 'key' | 'view' | 'around' | 'query'>): Html {
  const { previous, next, at, of } = around.neighbours;
  const { iteration, result } = view;
  const to = (sample: string) => `${sampleHref(key, iteration, sample)}${query}`;
  return html`<nav class="pages" aria-label="Samples">
    ${previous === undefined ? undefined : html`<a id="previous" rel="prev" href="${to(previous)}">‹ previous</a>`}
    <span class="soft">${at === 0 ? `not among these ${of}` : `${at} of ${of}`}</span>
    ${next === undefined ? undefined : html`<a id="next" rel="next" href="${to(next)}">next ›</a>`}
    ${
      around.iterations.length < 2
        ? undefined
        : html`<span class="ways"
            >${around.iterations.map(({ iteration: other, short, cell }) => {
              const words = `${short} ${cell.outcome}`;
              return other === iteration
                ? html`<span class="pill ${outcomeTone(cell.outcome)}">${words}</span>`
                : html`<a href="${sampleHref(key, other, result.id)}${query}">${words}</a>`;
            })}</span
          >`
    }
  </nav>`;
}

function renderAttribution({ result }: SampleView): Html | undefined {
  const claim = formatClaim(result);
  if (result.why.length === 0) return undefined;
  return html`<section class="card ask">
    <h2>${describeCauseLayer(findLayer(result))}</h2>
    <ul class="plain-list">
      ${listReasons(result).map((line) => html`<li>${clipText(line, LIMIT)}</li>`)}
    </ul>
    ${claim === undefined ? undefined : html`<p>${clipText(claim, LIMIT)}</p>`}
  </section>`;
}

function renderExpectation({ user, expect, gold }: NonNullable<SampleView['sample']>): Html {
  return html`<section class="card">
    <h2>What it asks for</h2>
    <p>The user says first: “${clipText(user.says_first, LIMIT)}”</p>
    <details>
      <summary>Expected end, and one right path of ${formatCount(gold.length, 'call')}</summary>
      <div class="inside"><pre tabindex="0">${formatJson({ expect, gold })}</pre></div>
    </details>
  </section>`;
}

/** Shows the sentences of the sample's rules, and the code that judged it. */
function renderRulesAndCode(key: string, { iteration }: SampleView, { rules, files }: SampleContext): Html {
  return html`<section class="card">
    <h2>Its rules and code</h2>
    ${rules.map(({ id, title, text }) => html`<p><strong>${id} ${clipText(title, LIMIT)}</strong> ${clipText(text, LIMIT)}</p>`)}
    <p class="evidence">
      ${files.map((path) => html`<a href="${componentHref(key, iteration, path)}"><code>${path}</code></a>`)}
    </p>
  </section>`;
}

type TrialSectionInput = { key: string; view: SampleView; hidden: HiddenVerdicts };

function trialSection({ trial, lines }: SampleView['trials'][number], { key, view, hidden }: TrialSectionInput): Html {
  const { verdicts, outcome, stop, costUsd, durationMs, toolFault } = trial;
  const { result, iteration } = view;
  const href = trialHref(key, iteration, { sample: result.id, trial: trial.trial });
  return html`<section class="card" id="trial-${trial.trial}">
    <div class="head">
      <h2>${result.trials.length === 1 ? 'What the subject did' : `Trial ${trial.trial}`}</h2>
      <p class="soft small">
        <span class="pill ${outcomeTone(outcome)}">${outcome}</span>
        ended with ${stop} · ${formatUsd(costUsd)} · ${formatDuration(durationMs)} · <a href="${href}">as a tree</a>
      </p>
    </div>
    ${verdictList(verdicts, hidden.get(trial.trial))}
    ${toolFault === undefined ? undefined : html`<p><span class="pill warn">tool fault</span> ${toolFault}</p>`}
    ${
      lines.length === 0
        ? html`<p class="soft">No trace was saved.</p>`
        : html`<ol class="talk">
              ${lines.flatMap(traceItem)}
            </ol>
            ${lines.length < MOST_LINES ? undefined : html`<p class="soft">The beginning and the end; <a href="${href}">all of it as a tree</a>.</p>`}`
    }${worldChange(lines, `trial ${trial.trial}`)}
  </section>`;
}

function traceItem(line: TraceLine): Html[] {
  if (line.type !== 'user' && line.type !== 'says' && line.type !== 'call') return [];
  const step = 'step' in line ? `, step ${line.step}` : '';
  const row = line.type === 'call' ? html`data-row tabindex="-1"` : undefined;
  return [html`<li class="${line.type}" ${row}><span class="who">${whoText(line)}${step}</span>${lineBody(line)}</li>`];
}

function formatJson(value: unknown): string {
  return clipText(JSON.stringify(value, null, 2) ?? '', LIMIT);
}
