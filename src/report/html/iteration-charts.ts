/** By iteration: a chart of the success rate with its interval, the target and the rounds; and a table of failures by layer. */
import { clampShare, intervalText } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { countFailed, layerColumns } from '../run/layers.ts';
import type { IterationSummary } from '../run/run-summary.ts';
import { html, type Html, renderDataTable, renderTableRow } from './html.ts';

const HEIGHT = 290;
const LEFT = 52;
const RIGHT = 18;
const TOP = 34;
const BOTTOM = 42;
const COLUMN_STEP = 78;
const MIN_WIDTH = 470;

function chartWidth(iterations: number): number {
  return Math.max(MIN_WIDTH, LEFT + RIGHT + iterations * COLUMN_STEP);
}

/** Returns the x position of the middle of an iteration's column. */
function columnAt(index: number, iterations: number): number {
  const room = (chartWidth(iterations) - LEFT - RIGHT) / Math.max(1, iterations);
  return roundToTenth(LEFT + room * (index + 0.5));
}

/** Rounds to a tenth of a pixel, which is precise enough. */
const roundToTenth = (value: number): number => Math.round(value * 10) / 10;

const toChartY = (rate: number) => roundToTenth(TOP + (1 - clampShare(rate)) * (HEIGHT - TOP - BOTTOM));

type RatePoint = { one: IterationSummary; x: number; y: number };

export function rateChart(iterations: readonly IterationSummary[], target: number): Html {
  const width = chartWidth(iterations.length);
  const points: RatePoint[] = iterations.map((one, index) => ({
    one,
    x: columnAt(index, iterations.length),
    y: toChartY(one.successRate),
  }));
  const rated = points.filter(({ one }) => one.total > 0);
  const path = rated.map(({ x, y }) => `${x},${y}`).join(' ');
  return html`<svg
    viewBox="0 0 ${width} ${HEIGHT}"
    style="min-width:${Math.round(width * 0.66)}px"
    role="img"
    aria-labelledby="rate-title rate-text"
  >
    <title id="rate-title">Success rate per iteration</title>
    <desc id="rate-text">${describeRates(iterations, target)}</desc>
    ${renderRoundBands(iterations)}
    ${[0, 0.25, 0.5, 0.75, 1].map(
      (rate) =>
        html`<line
            class="grid-line"
            x1="${LEFT}"
            x2="${width - RIGHT}"
            y1="${toChartY(rate)}"
            y2="${toChartY(rate)}"
          /><text x="${LEFT - 8}" y="${toChartY(rate) + 4}" text-anchor="end">${formatPercent(rate)}</text>`,
    )}
    <line class="target" x1="${LEFT}" x2="${width - RIGHT}" y1="${toChartY(target)}" y2="${toChartY(target)}" />
    <text class="target-name" x="${LEFT + 6}" y="${toChartY(target) - 7}">target ${formatPercent(target)}</text>
    ${rated.map(({ one, x }) => intervalBar(one, x))}
    <polyline class="path" points="${path}" />
    ${rated.map((one, index) => renderPoint(one, rated[index === 0 ? 1 : index - 1], { isFirst: index === 0, target }))}
    ${points.map(renderPointLabels)}
  </svg>`;
}

function intervalBar({ interval: [low, high] }: IterationSummary, x: number): Html {
  const [top, bottom] = [toChartY(high), toChartY(low)];
  return html`<path class="bar" d="M${x} ${top}V${bottom}M${x - 7} ${top}h14M${x - 7} ${bottom}h14" />`;
}

/** `other` is the neighbour that the line comes from: the label goes on the other side of the dot. */
function renderPoint(
  { one, x, y }: RatePoint,
  other: RatePoint | undefined,
  { isFirst, target }: { isFirst: boolean; target: number },
): Html {
  const met = one.successRate >= target ? ' met' : '';
  const [labelX, anchor] = isFirst ? [x + 10, 'start'] : [x - 10, 'end'];
  const label = (other?.y ?? y) < y ? y + 19 : y - 9;
  return html`<circle class="dot${met}" cx="${x}" cy="${y}" r="6.5" /><text
      class="strong halo"
      x="${labelX}"
      y="${label}"
      text-anchor="${anchor}"
      >${formatPercent(one.successRate)}</text
    >`;
}

/** Labels every iteration, also one without a dot because no sample ran. */
function renderPointLabels({ one, x }: RatePoint): Html {
  return html`<text x="${x}" y="${HEIGHT - BOTTOM + 19}" text-anchor="middle">i${one.iteration}</text
    ><text x="${x}" y="${HEIGHT - BOTTOM + 35}" text-anchor="middle">${one.passed}/${one.total}</text>`;
}

/** Shades every second round; a dashed border shows where the design changed. */
function renderRoundBands(iterations: readonly IterationSummary[]): Html[] {
  const rounds = [...new Set(iterations.map((one) => one.round))];
  const half = (chartWidth(iterations.length) - LEFT - RIGHT) / Math.max(1, iterations.length) / 2;
  return rounds.map((number, index) => {
    const columns = iterations.flatMap((one, at) => (one.round === number ? [columnAt(at, iterations.length)] : []));
    const [from, to] = [roundToTenth(Math.min(...columns) - half), roundToTenth(Math.max(...columns) + half)];
    const border =
      index === 0
        ? undefined
        : html`<line class="border" x1="${from}" x2="${from}" y1="${TOP - 16}" y2="${HEIGHT - BOTTOM}" />`;
    const ground =
      index % 2 === 0
        ? undefined
        : html`<rect
            class="band"
            x="${from}"
            y="${TOP - 16}"
            width="${roundToTenth(to - from)}"
            height="${HEIGHT - BOTTOM - TOP + 16}"
          />`;
    return html`${ground}${border}<text class="strong" x="${from + 6}" y="${TOP - 20}">r${number}</text>`;
  });
}

function describeRates(iterations: readonly IterationSummary[], target: number): string {
  const each = iterations.map(
    (one) =>
      `iteration ${one.iteration}, round ${one.round}: ${one.total === 0 ? 'no sample ran' : `${formatPercent(one.successRate)}, interval ${intervalText(one.interval)}`}`,
  );
  return `Target ${formatPercent(target)}. ${each.join('; ')}.`;
}

/** Counts the failing samples of each iteration by layer, with who owns it. */
export function renderLayerTable(iterations: readonly IterationSummary[]): Html {
  return renderDataTable(
    { label: 'Failing samples per iteration by layer' },
    ['layer', ...iterations.map(({ iteration }) => `i${iteration}`), 'owner'],
    layerColumns(iterations.map(({ layers }) => layers)).map(({ key, name, owner }) => {
      const counts = iterations.map(({ layers }) => countFailed(layers, key) || '–');
      return renderTableRow([html`<span class="swatch l${key}"></span>${key} ${name}`, ...counts, owner]);
    }),
  );
}
