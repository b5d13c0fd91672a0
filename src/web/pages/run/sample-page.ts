/** One sample: why it came out so, the conversation with its tool calls, and what it did to the world. */
import { count, duration, usd } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { layerOf } from '../../../report/run/layers.ts';
import { clip } from '../../../report/text/sanitise.ts';
import { claimText } from '../../../scenario/attribution/named-causes.ts';
import { diffJson, valueAt } from '../../../scenario/json/patch.ts';
import type { PatchOperation } from '../../../scenario/sample.ts';
import type { TraceLine } from '../../../scenario/trace.ts';
import type { SampleView } from '../../read/read-sample.ts';
import { runHref } from '../evidence.ts';

const LIMIT = 4000;

export function samplePage(key: string, view: SampleView): Html {
  const { result, sample, iteration } = view;
  const tone = result.outcome === 'pass' ? 'good' : result.outcome === 'fail' ? 'bad' : 'plain';
  return html`<header>
      <p class="brand">Sample · iteration ${iteration}</p>
      <h1>${result.title}</h1>
      <p class="meta">
        <span class="pill ${tone}">${result.outcome}</span><code>${result.id}</code
        ><span>category ${result.category}</span><span>rules ${result.covers.join(', ') || 'none'}</span
        ><a href="${runHref(key)}">The run</a>
      </p>
    </header>
    ${attribution(view)}${sample === undefined ? undefined : expectation(sample)}
    ${view.trials.map((trial) => trialSection(trial, view))}`;
}

function attribution({ result }: SampleView): Html | undefined {
  const { why } = result;
  const claim = claimText(result);
  if (why.length === 0) return undefined;
  const known = layerOf(result);
  return html`<section class="card ask">
    <h2>${known === undefined ? 'Why' : `Layer ${known.key}, ${known.name}: owner ${known.owner}`}</h2>
    <ul class="plain-list">
      ${why.map((line) => html`<li>${clip(line, LIMIT)}</li>`)}
    </ul>
    ${claim === undefined ? undefined : html`<p>${clip(claim, LIMIT)}</p>`}
  </section>`;
}

function expectation({ user, expect, gold }: NonNullable<SampleView['sample']>): Html {
  return html`<section class="card">
    <h2>What it asks for</h2>
    <p>The user says first: “${clip(user.says_first, LIMIT)}”</p>
    <details>
      <summary>Expected end, and one right path of ${count(gold.length, 'call')}</summary>
      <div class="inside"><pre tabindex="0">${json({ expect, gold })}</pre></div>
    </details>
  </section>`;
}

function trialSection({ trial, lines }: SampleView['trials'][number], { result }: SampleView): Html {
  const { verdicts, outcome, stop, costUsd, durationMs, toolFault } = trial;
  return html`<section class="card" id="trial-${trial.trial}">
    <div class="head">
      <h2>${result.trials.length === 1 ? 'What the subject did' : `Trial ${trial.trial}`}</h2>
      <p class="soft small">
        <span class="pill ${outcome === 'pass' ? 'good' : outcome === 'fail' ? 'bad' : 'plain'}">${outcome}</span>
        ended with ${stop} · ${usd(costUsd)} · ${duration(durationMs)}
      </p>
    </div>
    <ul class="checks">
      ${verdicts.map(
        ({ checker, pass, reason, evidence, broken }) =>
          html`<li>
            <span class="pill ${pass ? 'good' : 'bad'}">${pass ? 'pass' : 'fail'}</span
            ><span
              ><strong>${checker === 'expect' ? 'expectation' : checker}</strong
              >${broken === true ? ' (the checker broke)' : ''}: ${clip(reason, LIMIT)}
              ${evidence.map((one) => html`<br /><span class="soft small">${clip(one, LIMIT)}</span>`)}</span
            >
          </li>`,
      )}
    </ul>
    ${toolFault === undefined ? undefined : html`<p><span class="pill warn">tool fault</span> ${toolFault}</p>`}
    ${
      lines.length === 0
        ? html`<p class="soft">No trace was saved.</p>`
        : html`<ol class="talk">
            ${lines.flatMap(traceItem)}
          </ol>`
    }${worldChange(lines)}
  </section>`;
}

function traceItem(line: TraceLine): Html | Html[] {
  switch (line.type) {
    case 'user':
      return html`<li class="user">
        <span class="who">user</span>
        <p>${clip(line.text, LIMIT)}</p>
      </li>`;
    case 'says':
      return html`<li>
        <span class="who">subject, step ${line.step}</span>
        <p>${clip(line.text, LIMIT)}</p>
      </li>`;
    case 'call':
      return html`<li class="call" data-row tabindex="-1">
        <span class="who"
          >call, step
          ${line.step}${line.is_error ? html` <span class="pill bad">${line.error ?? 'error'}</span>` : undefined}</span
        >
        <code>${line.tool} ${clip(JSON.stringify(line.input), LIMIT)}</code>
        <pre tabindex="0">${clip(typeof line.output === 'string' ? line.output : json(line.output), LIMIT)}</pre>
        ${line.change.length === 0 ? undefined : html`<p class="small">${line.change.map(operationText)}</p>`}
      </li>`;
    default:
      return [];
  }
}

function operationText({ op, path, ...rest }: PatchOperation): Html {
  const value = 'value' in rest ? ` = ${clip(JSON.stringify(rest.value) ?? '', 400)}` : '';
  return html`<span class="pill plain">world</span> ${op} <code>${path}${value}</code><br />`;
}

/** What the trial did to the world in the end: what was there before, and what is there now. */
function worldChange(lines: readonly TraceLine[]): Html | undefined {
  const start = lines.find((line) => line.type === 'start');
  const end = lines.findLast((line) => line.type === 'end');
  if (start === undefined || end === undefined) return undefined;
  // The trace of a large world contains only the places that changed.
  const changes = end.change ?? diffJson(start.world, end.world);
  const shown = (value: unknown) => clip(JSON.stringify(value) ?? '', 1000);
  return html`<h3>The world before and after</h3>
    ${
      changes.length === 0
        ? html`<p>Nothing changed.</p>`
        : html`<div class="diff" tabindex="0" role="region" aria-label="World before and after">
            ${changes.map(
              (change) =>
                html`<div class="f">${change.path}</div>
                  ${change.op === 'add' ? undefined : html`<div class="d">- ${wasThere(start, change.path, shown)}</div>`}
                  ${change.op === 'remove' ? undefined : html`<div class="a">+ ${shown(change.value)}</div>`}`,
            )}
          </div>`
    }`;
}

function wasThere(
  { world, base }: Extract<TraceLine, { type: 'start' }>,
  path: string,
  shown: (value: unknown) => string,
): string {
  return base === undefined
    ? shown(valueAt(world, path))
    : `as in samples/worlds/${base.name}.json and the sample's start`;
}

function json(value: unknown): string {
  return clip(JSON.stringify(value, null, 2) ?? '', LIMIT);
}
