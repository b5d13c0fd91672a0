/** Charts failures as stacked bars: the failing samples of each iteration by layer. */
import { listFailedLayers, layerColumns, layersText } from '../run/layers.ts';
import type { IterationSummary } from '../run/run-summary.ts';
import { BOTTOM, chartWidth, columnAt, HEIGHT, LEFT, RIGHT, roundToTenth, TOP } from './chart-frame.ts';
import { html, type Html } from './html.ts';

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
