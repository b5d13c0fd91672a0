/** The failing samples of the newest iteration, by cause; the evidence is folded. */
import type { DecidingMoment, SampleResult, Verdict } from '../../scenario/result.ts';
import { formatClaim, isDisputed } from '../../scenario/attribution/named-causes.ts';
import { causesOf, decidingTrial, failedVerdicts, type FailureCause } from '../run/failure-causes.ts';
import { changeText, isFlaky } from '../run/compare-iterations.ts';
import { count } from '../text/number-format.ts';
import { rerunCommandText } from '../run/iteration-markdown.ts';
import { relativeHref } from '../text/markdown.ts';
import { lastResults, type RunSummary } from '../run/run-summary.ts';
import { clip } from '../text/sanitise.ts';
import { html, type Html } from './html.ts';

const LIMIT = 4000;
/** Beyond this the page would be too heavy to open; the rest is in the iteration's report. */
const MOST = 150;

type Shown = {
  base: string;
  again: (sample: string) => string;
  before: ReadonlyMap<string, SampleResult>;
  compared: boolean;
};

export function failureList(summary: RunSummary): Html {
  const last = lastResults(summary);
  if (last === undefined) return html`<p class="soft">No iteration has been evaluated yet.</p>`;
  const earlier = summary.iterations.findLast((one) => one.iteration < last.iteration.iteration)?.results;
  const before = new Map(earlier?.samples.map((sample) => [sample.id, sample]));
  const again = (id: string) => rerunCommandText(summary.run, id, last.results.iteration);
  const shown = { base: `../${last.iteration.outputDir}/`, again, before, compared: earlier !== undefined };
  const causes = causesOf(last.results);
  if (causes.length === 0) return html`<p>No sample failed in iteration ${last.results.iteration}.</p>`;
  const parts = capped(causes);
  const left = causes.flatMap(({ samples }) => samples).length - parts.flatMap(({ samples }) => samples).length;
  return html`${parts.map((cause) => causeBlock(cause, shown))}${left > 0 ? html`<p class="soft">${left} more stand in ${fileLink('the report of the iteration', `${shown.base}report.md`)}.</p>` : undefined}`;
}

function capped(causes: readonly FailureCause[]): FailureCause[] {
  let room = MOST;
  return causes.flatMap((cause) => {
    const samples = cause.samples.slice(0, room);
    room -= samples.length;
    return samples.length === 0 ? [] : [{ ...cause, samples }];
  });
}

function causeBlock({ layer, title, samples }: FailureCause, shown: Shown): Html {
  const place = layer === undefined ? 'No layer yet' : `Layer ${layer.key}, ${layer.name}`;
  return html`<h3>
      ${place}: ${title}
      <span class="soft small"
        >${count(samples.length, 'sample')}${layer === undefined ? '' : `, owner ${layer.owner}`}</span
      >
    </h3>
    ${samples.map((sample) => sampleBlock(sample, shown))}`;
}

function sampleBlock(sample: SampleResult, { base, again, before, compared }: Shown): Html {
  const trial = decidingTrial(sample);
  const passed = sample.trials.filter(({ outcome }) => outcome === 'pass').length;
  const change = compared ? changeText(sample, before.get(sample.id)) : undefined;
  const claim = formatClaim(sample);
  return html`<details>
    <summary>
      <code>${sample.id}</code><span>${sample.title}</span>
      <span class="pill bad">${passed} of ${count(sample.trials.length, 'trial')} passed</span
      >${change === undefined ? undefined : html`<span class="pill plain">${change}</span>`}${isFlaky(sample) ? html`<span class="pill warn">flaky</span>` : undefined}
    </summary>
    <div class="inside">
      <p class="soft small">category ${sample.category} · rules ${sample.covers.join(', ') || 'none'}</p>
      ${failedVerdicts(sample).map(verdictBlock)}
      ${
        sample.why.length === 0
          ? undefined
          : html`<p><strong>Why this layer</strong></p>
              <ul class="plain-list">
                ${sample.why.map((why) => html`<li>${clip(why, LIMIT)}</li>`)}
              </ul>`
      }
      ${claim === undefined ? undefined : html`<p>${isDisputed(sample) ? html`<span class="pill warn">Execute disagrees</span> ` : undefined}${clip(claim, LIMIT)}</p>`}
      ${trial?.deciding === undefined ? undefined : decided(trial.deciding)}
      ${trial === undefined ? undefined : html`<p class="small">Trial ${trial.trial} ended with <code>${trial.stop}</code> · ${fileLink('open its trace', `${base}${trial.trace}`)}</p>`}
      <p class="small">Again, without a model: <code>${again(sample.id)}</code></p>
    </div>
  </details>`;
}

function decided({ step, line, quote }: DecidingMoment): Html {
  return html`<p><strong>Decided at step ${step}</strong>, line ${line} of its trace</p>
    <pre>${clip(quote, LIMIT)}</pre>`;
}

function verdictBlock({ checker, reason, evidence, broken }: Verdict): Html {
  const who = checker === 'expect' ? html`Expectation` : html`Checker <code>${checker}</code>`;
  return html`<p>
      <strong>${who}</strong>${broken === true ? html` <span class="pill warn">the checker broke</span>` : undefined}
      ${clip(reason, LIMIT)}
    </p>
    ${evidence.length === 0 ? undefined : html`<pre>${clip(evidence.join('\n'), LIMIT)}</pre>`}`;
}

/** A link to a file next to the report, or its path when it could lead out of the run's folder. */
function fileLink(label: string, path: string): Html {
  const href = relativeHref(path);
  return href === undefined ? html`${label}: <code>${path}</code>` : html`<a href="${href}">${label}</a>`;
}
