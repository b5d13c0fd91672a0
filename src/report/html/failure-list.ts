/** Lists the failing samples of the newest iteration by cause; the evidence is folded. */
import type { DecidingMoment, SampleResult, Verdict } from '../../scenario/result.ts';
import { formatClaim, isDisputed } from '../../scenario/attribution/named-causes.ts';
import { groupByCause, decidingTrial, failedVerdicts, splitReasons, type FailureCause } from '../run/failure-causes.ts';
import { changeText, isFlaky } from '../run/compare-iterations.ts';
import { formatCount } from '../text/number-format.ts';
import { rerunCommandText } from '../run/iteration-markdown.ts';
import { relativeHref } from '../text/markdown.ts';
import { lastResults, type RunSummary } from '../run/run-summary.ts';
import { clipText } from '../text/sanitise.ts';
import { html, type Html } from './html.ts';

const MAX_CHARS = 4000;
/** More samples would make the page too heavy; the rest is in the iteration's report. */
const MAX_SAMPLES = 150;

type FailureListContext = {
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
  const place = layer === undefined ? 'No layer yet' : `Layer ${layer.key}, ${layer.name}`;
  return html`<h3>
      ${place}: ${title}
      <span class="soft small"
        >${formatCount(samples.length, 'sample')}${layer === undefined ? '' : `, owner ${layer.owner}`}</span
      >
    </h3>
    ${samples.map((sample) => renderSample(sample, shown))}`;
}

function renderSample(sample: SampleResult, { base, again, before, compared }: FailureListContext): Html {
  const trial = decidingTrial(sample);
  const passed = sample.trials.filter(({ outcome }) => outcome === 'pass').length;
  const change = compared ? changeText(sample, before.get(sample.id)) : undefined;
  const claim = formatClaim(sample);
  const { sentences, places } = splitReasons(sample);
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
        sample.why.length === 0
          ? undefined
          : html`<p><strong>Why this layer</strong></p>
              <ul class="plain-list">
                ${[...sentences, ...places].map((why) => html`<li>${clipText(why, MAX_CHARS)}</li>`)}
              </ul>`
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
