/** One trial as a tree: each answer of the subject with time, tokens and cost, and below it its text and tool calls. */
import { formatCount, formatDuration, formatTokens, formatUsd } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { clipText } from '../../../report/text/sanitise.ts';
import type { AnswerCost, TraceLine, TraceLineOf } from '../../../scenario/trace.ts';
import type { TrialCalls } from '../../../scenario/trial-calls.ts';
import type { TrialResult } from '../../../scenario/result.ts';
import type { SampleView, TracePart } from '../../read/read-sample.ts';
import { renderPageHeader } from '../layout.ts';
import { resultsHref, sampleHref, trialHref } from '../page-links.ts';
import { outcomeTone } from './describe-cell.ts';
import { renderPager } from './pager.ts';
import { verdictList, type HiddenVerdicts } from './verdict-list.ts';
import { operationText, worldChange } from './world-change.ts';

const LIMIT = 4000;
const RAW_LIMIT = 30_000;

export type TracePage = {
  key: string;
  view: SampleView;
  trial: TrialResult;
  part: TracePart;
  hidden: HiddenVerdicts;
  /** Undefined when the calls were not recorded. */
  calls: TrialCalls['calls'] | undefined;
  /** Number of the line whose bytes are shown too. */
  raw: number | undefined;
};

type NumberedLine = { line: TraceLine; number: number };
/** `query` precedes the parameters of a line's address. */
type LineContext = {
  href: string;
  query: string;
  raw: number | undefined;
  deciding: number | undefined;
  answers: readonly AnswerCost[];
  calls: TrialCalls['calls'];
  /** The last step that has lines; a step that was cut off has none. */
  last: number;
};

export function tracePage({ key, view, trial, part, hidden, raw, calls }: TracePage): Html {
  const { result, iteration, where } = view;
  const { page, pages, total, pageOf } = part;
  const at = { sample: result.id, trial: trial.trial };
  const lines = part.lines.map(({ line }) => line);
  const steps = Map.groupBy(part.lines, ({ line }) =>
    'step' in line ? line.step : line.type === 'start' ? -1 : Infinity,
  );
  const end = lines.findLast((line) => line.type === 'end');
  const href = trialHref(key, iteration, at);
  const onPage = (number: number): string => (pages === 1 ? href : `${href}?page=${number}`);
  const query = pages === 1 ? '' : `page=${page}&`;
  const last = page < pages ? Infinity : Math.max(0, ...lines.map((line) => ('step' in line ? line.step : 0)));
  const known = { calls: calls ?? [], deciding: trial.deciding?.line, answers: end?.answers ?? [] };
  const place = { href, query, raw, last, ...known };
  const meta = html`<span class="pill ${outcomeTone(trial.outcome)}">${trial.outcome}</span
    ><a href="${sampleHref(key, iteration, result.id)}">The sample</a><a href="${resultsHref(key)}">All results</a
    ><span>${formatDuration(trial.durationMs)}</span
    ><span>${formatUsd(trial.costUsd)}</span>
    ${end?.answers === undefined ? undefined : html`<span>${formatCount(end.answers.length, 'answer')}</span>`}
    ${trial.deciding === undefined ? undefined : html`<a href="${pageOf(trial.deciding.line) === page ? '' : onPage(pageOf(trial.deciding.line))}#L${trial.deciding.line}">where it was decided</a>`}`;
  return html`${renderPageHeader({ brand: `Trial ${trial.trial} · ${where}`, title: result.title }, meta)}
    <section class="card">${verdictList(trial.verdicts, hidden.get(trial.trial))}</section>
    <section class="card">
      <h2>What happened</h2>
      ${pages === 1 ? undefined : html`<p class="soft small">${total} lines; each page has the beginning and the end too.</p>`}${renderPager({ page, pages }, onPage)}
      ${
        lines.length === 0
          ? html`<p class="soft">No trace was saved.</p>`
          : html`<ol class="tree">
              ${[...steps].toSorted(([one], [other]) => one - other).map(([step, its]) => stepItem(step, its, place))}
            </ol>`
      }
      ${worldChange(lines, `trial ${trial.trial}`)}
      ${calls === undefined ? html`<p class="soft small">Requests and answers of models were not recorded.</p>` : undefined}
    </section>`;
}

function stepItem(step: number, lines: readonly NumberedLine[], place: LineContext): Html {
  const answer = place.answers[step - 1];
  const calls = lines.filter(({ line }) => line.type === 'call').length;
  const name = step === -1 ? 'start' : step === Infinity ? 'end' : step === 0 ? 'the user begins' : `step ${step}`;
  const tokens = answer && `${formatTokens(answer.in)} tokens in, ${formatTokens(answer.out)} out`;
  const spent = answer && [formatDuration(answer.durationMs), tokens, formatUsd(answer.usd)];
  const facts = [...(spent ?? []), ...(calls === 0 ? [] : [formatCount(calls, 'call')])];
  return html`<li>
    <details open>
      <summary><strong>${name}</strong><span class="soft small">${facts.join(' · ')}</span></summary>
      <ol>
        ${callLinks(step, place)}${lines.map((one) => lineItem(one, place))}
      </ol>
    </details>
  </li>`;
}

/** Links to the model calls of this step; the calls of graders are shown at the end. */
function callLinks(step: number, { href, calls, last }: LineContext): Html | undefined {
  const own = calls.flatMap(({ by, step: at }, index) => {
    const isAfter = by.startsWith('grader ') || at > last;
    const isHere = isAfter ? step === Infinity : at === step;
    return isHere ? [html`<a href="${href}/calls/${index + 1}">${by}, call ${index + 1}</a>`] : [];
  });
  return own.length === 0
    ? undefined
    : html`<li class="evidence small"><span class="soft">request and answer</span>${own}</li>`;
}

function lineItem({ line, number }: NumberedLine, { href, query, raw, deciding }: LineContext): Html {
  const isRaw = raw === number;
  const decided = deciding === number ? html` <span class="pill warn">decided here</span>` : undefined;
  return html`<li id="L${number}" class="${line.type}" data-row tabindex="-1">
    <span class="who"
      >${whoText(line)}${decided}
      <a class="anchor" href="#L${number}" aria-label="Link to line ${number}">#${number}</a>
      ${isRaw ? undefined : html`<a class="anchor" href="${href}?${query}raw=${number}#L${number}" aria-label="Line ${number} as recorded">raw</a>`}</span
    >
    ${lineBody(line)}
    ${isRaw ? html`<pre tabindex="0">${clipText(JSON.stringify(line, null, 2), RAW_LIMIT)}</pre>` : undefined}
  </li>`;
}

export function whoText(line: TraceLine): Html {
  if (line.type === 'says') return html`subject`;
  if (line.type !== 'call') return html`${line.type}`;
  const error = line.is_error ? html` <span class="pill bad">${line.error ?? 'error'}</span>` : undefined;
  return html`${line.by === 'user' ? 'user calls' : 'call'} <code>${line.tool}</code>${error}`;
}

export function lineBody(line: TraceLine): Html {
  switch (line.type) {
    case 'user':
    case 'says':
      return html`<p>${clipText(line.text, LIMIT)}</p>`;
    case 'call':
      return callBody(line);
    case 'start':
      return html`<p class="soft small">${line.model}, sample ${line.sample}, trial ${line.trial}</p>`;
    default:
      return html`<p>
        ended with ${line.stop}${line.detail === undefined ? '' : `: ${clipText(line.detail, LIMIT)}`}
      </p>`;
  }
}

function callBody({ input, output, change }: TraceLineOf<'call'>): Html {
  return html`<dl class="call-parts">
    <dt>input</dt>
    <dd>${valueText(input)}</dd>
    <dt>answer</dt>
    <dd>${valueText(output)}</dd>
    ${
      change.length === 0
        ? undefined
        : html`<dt>world</dt>
            <dd class="small">${change.map(operationText)}</dd>`
    }
  </dl>`;
}

function valueText(value: unknown): Html {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? '');
  return html`<pre tabindex="0">${clipText(text, LIMIT)}</pre>`;
}
