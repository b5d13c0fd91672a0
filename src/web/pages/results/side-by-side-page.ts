/** One sample in every iteration or by every subject, side by side: outcome, verdicts, last words, world changes. */
import { capitalizeFirst, formatCount, formatDuration, formatUsd } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { splitReasons } from '../../../report/run/failure-causes.ts';
import { findLayer } from '../../../report/run/layers.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import type { SampleView } from '../../read/read-sample.ts';
import { resultsHref, runHref, sampleHref } from '../page-links.ts';
import { outcomeTone } from './outcome-tone.ts';
import { verdictList, type HiddenVerdicts } from './verdict-list.ts';
import { changedPlaces } from './world-change.ts';

const LIMIT = 1500;

export type SampleSide = { view: SampleView; hidden: HiddenVerdicts };

export function sidesPage(key: string, sides: readonly SampleSide[], isRun: boolean): Html {
  const newest = sides.at(-1)?.view.result;
  return html`<header>
      <p class="brand">Sample · ${formatCount(sides.length, isRun ? 'iteration' : 'subject')}</p>
      <h1>${newest?.title ?? ''}</h1>
      <p class="meta">
        <code>${newest?.id ?? ''}</code>${isRun ? html`<a href="${runHref(key)}">The run</a>` : undefined}<a
          href="${resultsHref(key)}"
          >All results</a
        >
      </p>
    </header>
    <div class="scroll sides" tabindex="0" role="region" aria-label="Side by side">
      ${(isRun ? sides.toReversed() : sides).map((side) => renderColumn(key, side))}
    </div>`;
}

/** Among several trials the first failed one is shown, because it says most. */
function renderColumn(key: string, { view, hidden }: SampleSide): Html {
  const { result, iteration, where, round, trials } = view;
  const shown = trials.find(({ trial }) => trial.outcome === 'fail') ?? trials[0];
  const layer = findLayer(result);
  const passed = trials.filter(({ trial }) => trial.outcome === 'pass').length;
  // What a judge says stands below, among the verdicts.
  const isRepeated = (line: string) => shown?.trial.verdicts.some(({ checker }) => line.startsWith(`${checker}: `));
  const own = splitReasons(result).sentences.filter((line) => isRepeated(line) !== true);
  return html`<section class="card" data-row tabindex="-1" aria-label="${where}">
    <h2><a class="proof" href="${sampleHref(key, iteration, result.id)}">${capitalizeFirst(where)}</a></h2>
    <p class="meta">
      <span class="pill ${outcomeTone(result.outcome)}">${result.outcome}</span
      >${layer === undefined ? undefined : html`<span>layer ${layer.key}, ${layer.name}</span>`}<span
        >design r${round}</span
      >${trials.length > 1 ? html`<span>${passed} of ${formatCount(trials.length, 'trial')} passed</span>` : undefined}
    </p>
    ${own.map((line) => html`<p>${clipText(line, LIMIT)}</p>`)}
    ${shown === undefined ? undefined : trialPart(shown, hidden, where)}
  </section>`;
}

function trialPart({ trial, lines }: SampleView['trials'][number], hidden: HiddenVerdicts, where: string): Html {
  const start = lines.find((line) => line.type === 'start');
  const end = lines.findLast((line) => line.type === 'end');
  const calls = lines.flatMap((line) => (line.type === 'call' ? [line.tool] : []));
  return html`<h3>Trial ${trial.trial}: ${formatDuration(trial.durationMs)}, ${formatUsd(trial.costUsd)}</h3>
    ${verdictList(trial.verdicts, hidden.get(trial.trial))}
    <p class="soft small">calls: ${calls.join(', ') || 'none'}</p>
    ${
      end === undefined
        ? undefined
        : html`<h3>Last words</h3>
            <blockquote>${clipText(end.final, LIMIT)}</blockquote>`
    }
    ${
      start === undefined || end === undefined
        ? undefined
        : html`<h3>World</h3>
            ${changedPlaces(start, end, `World, ${where}`)}`
    }`;
}
