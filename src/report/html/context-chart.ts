/** Charts a context over time: each call's input as a column of read, written and fresh tokens, with epochs marked. */
import {
  billedInput,
  cacheReadShare,
  contextHistory,
  type ContextHistory,
  type HistoryCall,
} from '../../context-lab/history.ts';
import type { CallRecord } from '../../transcript/call-record.ts';
import { receiptText, attemptText, policyText, unansweredText } from '../context/context-part-names.ts';
import { formatCount, formatTokens } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import type { RunSummary } from '../run/run-summary.ts';
import { html, type Html, renderFold } from './html.ts';

const WIDTH = 960;
const HEIGHT = 250;
const LEFT = 62;
const RIGHT = 16;
const TOP = 22;
const BOTTOM = 34;
/** More columns could not be distinguished, so a column is then the largest of several calls. */
const MOST_COLUMNS = 300;

type ChartColumn = { call: HistoryCall; number: number };
type ChartScale = { x: (column: number) => number; y: (value: number) => number; step: number; most: number };

/** `id` makes the element ids of this chart unique on the page. */
function contextChartSvg(history: ContextHistory, agent: string, id: string): Html {
  const columns = groupIntoColumns(history.calls);
  const scale = createScale(columns);
  return html`<svg
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    style="min-width:${Math.round(WIDTH * 0.6)}px"
    role="img"
    aria-labelledby="${id}-title ${id}-text"
  >
    <title id="${id}-title">Tokens of each call of ${agent}</title>
    <desc id="${id}-text">${describeHistory(history)}</desc>
    ${[0, 0.5, 1].map((share) => renderGridLine(scale, share))} ${renderTriggerLine(history, scale)}
    ${columns.map((one, place) => renderCallColumn(one, place, scale))}
    ${renderCompactionMarks(history, columns, scale)}
    <text x="${LEFT}" y="${HEIGHT - 8}">call 1</text>
    <text x="${WIDTH - RIGHT}" y="${HEIGHT - 8}" text-anchor="end">call ${history.calls.length}</text>
  </svg>`;
}

/** Renders the calls of one conversation with a legend; undefined before the first answer. */
export function renderCallsChart(records: readonly CallRecord[], agent: string): Html | undefined {
  const history = contextHistory(records);
  return history.calls.length === 0 ? undefined : html`${scrollChart(history, agent, 'context')}${contextLegend()}`;
}

function scrollChart(history: ContextHistory, agent: string, id: string): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Context of ${agent}">
    ${contextChartSvg(history, agent, id)}
  </div>`;
}

function contextLegend(): Html {
  return html`<ul class="legend">
    <li><span class="swatch c-read"></span>read from the cache</li>
    <li><span class="swatch c-written"></span>written to the cache</li>
    <li><span class="swatch c-fresh"></span>neither</li>
    <li><span class="swatch c-mark"></span>compaction: a new epoch begins</li>
  </ul>`;
}

function groupIntoColumns(calls: readonly HistoryCall[]): ChartColumn[] {
  const per = Math.max(1, Math.ceil(calls.length / MOST_COLUMNS));
  return Array.from({ length: Math.ceil(calls.length / per) }, (_, place) => {
    const group = calls.slice(place * per, (place + 1) * per);
    const call = group.reduce((best, one) => (billedInput(one) > billedInput(best) ? one : best));
    return { call, number: place * per + group.indexOf(call) + 1 };
  });
}

function createScale(columns: readonly ChartColumn[]): ChartScale {
  const most = Math.max(1, ...columns.map(({ call }) => billedInput(call)));
  const step = (WIDTH - LEFT - RIGHT) / Math.max(1, columns.length);
  const floor = HEIGHT - BOTTOM;
  return {
    most,
    step,
    x: (column) => roundToHundredth(LEFT + column * step),
    y: (value) => roundToHundredth(floor - (value / most) * (floor - TOP)),
  };
}

function renderGridLine({ y, most }: ChartScale, share: number): Html {
  const at = y(most * share);
  return html`<line class="grid-line" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" /><text
      x="${LEFT - 8}"
      y="${at + 4}"
      text-anchor="end"
      >${formatTokens(most * share)}</text
    >`;
}

/** The line at the trigger, if any call came near it. */
function renderTriggerLine({ context }: ContextHistory, { y, most }: ChartScale): Html | undefined {
  if (context === undefined || context.trigger > most) return undefined;
  const at = y(context.trigger);
  return html`<line
      class="grid-line"
      stroke-dasharray="2 3"
      x1="${LEFT}"
      x2="${WIDTH - RIGHT}"
      y1="${at}"
      y2="${at}"
    /><text x="${WIDTH - RIGHT}" y="${at - 4}" text-anchor="end"
      >compacts above ${formatTokens(context.trigger)}</text
    >`;
}

function renderCallColumn({ call, number }: ChartColumn, place: number, { x, y, step }: ChartScale): Html {
  const gap = step > 5 ? 1 : 0;
  const width = roundToHundredth(Math.max(0.5, step - gap));
  let below = 0;
  const parts = (['read', 'written', 'fresh'] as const).flatMap((kind) => {
    const size = call[kind];
    if (size === 0) return [];
    const top = y(below + size);
    const height = roundToHundredth(y(below) - top);
    below += size;
    return [html`<rect class="c-${kind}" x="${x(place)}" y="${top}" width="${width}" height="${height}" />`];
  });
  const title = `call ${number}, ${call.entry}: ${formatTokens(billedInput(call))} in, ${formatTokens(call.read)} of them read, ${formatTokens(call.output)} out`;
  return html`<g>
    <title>${title}</title>
    ${parts}
  </g>`;
}

function renderCompactionMarks(
  { compactions }: ContextHistory,
  columns: readonly ChartColumn[],
  { x }: ChartScale,
): Html[] {
  return compactions.map((one, index) => {
    const found = columns.findIndex(({ number }) => number > one.afterCalls);
    const at = x(found < 0 ? columns.length : found);
    return html`<g>
      <title>${one.entry}: ${receiptText(one)}</title>
      <line class="c-mark" x1="${at}" x2="${at}" y1="${TOP - 8}" y2="${HEIGHT - BOTTOM}" />
      <text class="strong halo" x="${at + 3}" y="${TOP - 8}">${index + 1}</text>
    </g>`;
  });
}

function describeHistory(history: ContextHistory): string {
  const share = cacheReadShare(history);
  const each = history.compactions.map((one) => `after call ${one.afterCalls}: ${receiptText(one)}`);
  const read = share === undefined ? '' : ` ${formatPercent(share)} of all input was read from the cache.`;
  return `${formatCount(history.calls.length, 'call')}, ${formatCount(each.length, 'compaction')}.${read} ${each.join('; ')}`;
}

const roundToHundredth = (value: number) => Math.round(value * 100) / 100;

/** Returns undefined when no call was made. */
export function contextSection({ contexts = [] }: RunSummary): Html | undefined {
  const shown = contexts.filter(({ history }) => history.calls.length > 0 || history.unanswered !== undefined);
  if (shown.length === 0) return undefined;
  return html`<section class="card long screen-only">
    <h2>Contexts over time</h2>
    <p class="soft small">Input tokens of every model call; a dashed line is a compaction.</p>
    ${shown.map((one, index) => renderAgentContext(one, `context-${index}`))}${contextLegend()}
  </section>`;
}

type AgentContext = NonNullable<RunSummary['contexts']>[number];

function renderAgentContext({ agent, history }: AgentContext, id: string): Html {
  const share = cacheReadShare(history);
  const read = share === undefined ? '' : ` · ${formatPercent(share)} of all input read from the cache`;
  return html`<h3>${agent}</h3>
    <p class="soft small">
      ${history.model ?? 'model not recorded'} · ${formatCount(history.calls.length, 'call')} ·
      ${formatCount(history.compactions.length, 'compaction')}${read} · ${policyText(history)}
    </p>
    ${scrollChart(history, agent, id)} ${renderReceipts({ agent, history })}${renderUnanswered(history)}`;
}

function renderUnanswered({ unanswered: calls = [] }: AgentContext['history']): Html | undefined {
  if (calls.length === 0) return undefined;
  const items = calls.map(
    (call) =>
      html`<p>${unansweredText(call)}</p>
        <ol class="plain-list">
          ${call.decisions.map((one) => html`<li class="small">${attemptText(one)}</li>`)}
        </ol>`,
  );
  return renderFold(`${formatCount(calls.length, 'call')} without an answer`, items);
}

function renderReceipts({ history }: AgentContext): Html | undefined {
  const { compactions, refusals } = history;
  if (compactions.length + refusals.length === 0) return undefined;
  return html`<details>
    <summary>Receipts</summary>
    <div class="inside">
      <ol class="plain-list">
        ${compactions.map((one) => html`<li><code>${one.entry}</code> ${receiptText(one)}</li>`)}
      </ol>
      ${refusals.map((one) => html`<p class="soft small"><code>${one.entry}</code> refused, the old view stayed: ${one.cause}: ${one.detail}</p>`)}
    </div>
  </details>`;
}
