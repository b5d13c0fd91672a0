/** Charts by iteration: the success rate with its interval, the target and the rounds; and the failures as bars by layer. */
import { intervalText } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { listFailedLayers, layerColumns, layersText } from '../run/layers.ts';
import type { IterationSummary } from '../run/run-summary.ts';
import { html, type Html } from './html.ts';

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

const clampShare = (rate: number) => Math.min(1, Math.max(0, Number.isFinite(rate) ? rate : 0));
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
    style="min-width:${Math.round(width * 0.68)}px"
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

/** Wide enough for the text `L4b · 12`. */
const BAR_WIDTH = 62;

export function layerChart(iterations: readonly IterationSummary[]): Html {
  const width = chartWidth(iterations.length);
  const most = Math.max(1, ...iterations.map(countFailures));
  const floor = HEIGHT - BOTTOM;
  const unit = (floor - TOP) / most;
  return html`<svg
    viewBox="0 0 ${width} ${HEIGHT}"
    style="min-width:${Math.round(width * 0.68)}px"
    role="img"
    aria-labelledby="layer-title layer-text"
  >
    <title id="layer-title">Failures per iteration by layer</title>
    <desc id="layer-text">
      ${iterations.map((one) => `Iteration ${one.iteration}: ${layersText(one.layers) || 'no failure'}`).join('; ')}.
    </desc>
    <line class="grid-line" x1="${LEFT}" x2="${width - RIGHT}" y1="${floor}" y2="${floor}" />
    ${iterations.map((one, index) => renderLayerColumn(one, columnAt(index, iterations.length), { unit, floor }))}
  </svg>`;
}

function renderLayerColumn(one: IterationSummary, x: number, { unit, floor }: { unit: number; floor: number }): Html {
  let base = floor;
  const parts = listFailedLayers(one.layers).map(({ key, failed: of }) => {
    const height = Math.max(1, of * unit);
    base -= height;
    const gap = Math.min(2, height / 4);
    const box = html`<rect
      class="l${key}"
      x="${x - BAR_WIDTH / 2}"
      y="${roundToTenth(base)}"
      width="${BAR_WIDTH}"
      height="${roundToTenth(height - gap)}"
      rx="3"
    />`;
    const name =
      height < 17
        ? undefined
        : html`<text class="on" x="${x}" y="${roundToTenth(base + (height - gap) / 2 + 4.5)}" text-anchor="middle"
            >L${key} · ${of}</text
          >`;
    return html`${box}${name}`;
  });
  const failed = countFailures(one);
  return html`${parts}<text class="strong" x="${x}" y="${roundToTenth(base - 8)}" text-anchor="middle"
      >${failed === 0 ? 'none' : failed}</text
    ><text x="${x}" y="${floor + 19}" text-anchor="middle">i${one.iteration}</text
    ><text x="${x}" y="${floor + 35}" text-anchor="middle">r${one.round}</text>`;
}

function countFailures({ layers }: IterationSummary): number {
  return listFailedLayers(layers).reduce((sum, { failed }) => sum + failed, 0);
}

export function layerLegend(iterations: readonly IterationSummary[]): Html {
  return html`<ul class="legend">
    ${layerColumns(iterations.map(({ layers }) => layers)).map(({ key, name, owner }) => html`<li><span class="swatch l${key}"></span>L${key} ${name} (${owner})</li>`)}
  </ul>`;
}
