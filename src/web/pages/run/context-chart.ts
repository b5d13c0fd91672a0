/** The size of the context over time: tokens of every call, with the drops where it was compacted. */
import { formatTokens } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import type { ContextPoint } from '../../read/read-transcript.ts';

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [900, 210, 58, 16, 26];

export function contextChartFigure(points: readonly ContextPoint[]): Html | undefined {
  if (points.length < 2) return undefined;
  const most = Math.max(1, ...points.map((point) => point.tokens));
  const x = (index: number) => roundToTenth(LEFT + (index / (points.length - 1)) * (WIDTH - LEFT - 14));
  const y = (value: number) => roundToTenth(TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM));
  const compactions = points.filter(({ compacted }) => compacted).length;
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="context-title context-text">
    <title id="context-title">Context over time</title>
    <desc id="context-text">
      ${points.length} measurements, at most ${formatTokens(most)} tokens, ${compactions} compactions.
    </desc>
    ${[0, 0.5, 1].map(
      (share) =>
        html`<line class="grid-line" x1="${LEFT}" x2="${WIDTH - 14}" y1="${y(most * share)}" y2="${y(most * share)}" />
          <text x="${LEFT - 8}" y="${y(most * share) + 4}" text-anchor="end">${formatTokens(most * share)}</text>`,
    )}
    <polyline class="path" points="${points.map((point, index) => `${x(index)},${y(point.tokens)}`).join(' ')}" />
    ${points.map((point, index) =>
      point.compacted
        ? html`<circle class="dot met" cx="${x(index)}" cy="${y(point.tokens)}" r="7"
            ><title>compacted to ${formatTokens(point.tokens)}</title></circle
          >`
        : html``,
    )}
    <text x="${LEFT}" y="${HEIGHT - 6}">first call</text>
    <text x="${WIDTH - 14}" y="${HEIGHT - 6}" text-anchor="end">last call</text>
  </svg>`;
}

const roundToTenth = (value: number): number => Math.round(value * 10) / 10;
