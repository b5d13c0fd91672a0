/** The course of rate and cost over a scenario's runs, small enough for a table row. */
import { formatCount, formatUsd } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { formatPercent } from '../../../scenario/percent.ts';
import type { Trend } from '../../read/results/run-list.ts';

const [WIDTH, HEIGHT, EDGE] = [240, 48, 3];

export function trendFigure({ scenario, runs }: Trend): Html {
  const most = Math.max(0, ...runs.map((run) => run.usd ?? 0));
  const x = (index: number) => roundToTenth(EDGE + (index / Math.max(1, runs.length - 1)) * (WIDTH - 2 * EDGE));
  const y = (share: number) => roundToTenth(EDGE + (1 - share) * (HEIGHT - 2 * EDGE));
  const rates = runs.map(({ rate }, index) => `${x(index)},${y(rate)}`);
  const costs = runs.flatMap((run, index) =>
    run.usd === undefined || most === 0 ? [] : [`${x(index)},${y(run.usd / most)}`],
  );
  const [first, last] = [runs[0], runs.at(-1)];
  // A cost that is not known yet must not count as zero.
  const paid = runs.flatMap((run) => (run.usd === undefined ? [] : [run.usd]));
  const cost = paid.length < 2 ? '' : `, cost ${formatUsd(paid[0] ?? 0)} → ${formatUsd(paid.at(-1) ?? 0)}`;
  const words = `${formatCount(runs.length, 'run')}: rate ${formatPercent(first?.rate ?? 0)} → ${formatPercent(last?.rate ?? 0)}${cost}`;
  return html`<figure>
    <svg class="trend" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${scenario}, ${words}">
      <polyline class="rate" points="${rates.join(' ')}" />
      <polyline class="cost" points="${costs.join(' ')}" />
    </svg>
    <figcaption><strong>${scenario}</strong> ${words}</figcaption>
  </figure>`;
}

const roundToTenth = (value: number): number => Math.round(value * 10) / 10;
