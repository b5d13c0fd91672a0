/** Draws the cost of a session over all triggers as a curve in the terminal, and recommends a trigger. */
import type { TriggerPlan, TriggerPoint } from '../../context-lab/economics-plan.ts';
import { formatBar, formatTokens, formatUsd } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { createPaint, formatRow, type Span, type TerminalSize } from '../text/terminal-colors.ts';
import { padEnd, wrapText } from '../text/width.ts';

export type PlanTexts = {
  /** The assumptions behind the numbers, one sentence each. */
  assumptions: readonly string[];
  /** Price of an uncached input token in US dollars. */
  inputPrice: number;
};

const BAR_WIDTH = 40;
/** One in this many points of the curve is printed, besides the named ones. */
const POINT_STEP = 5;

export function renderTriggerPlan(plan: TriggerPlan, words: PlanTexts, { columns, color }: TerminalSize): string[] {
  const width = Math.max(20, Math.floor(columns) || 20);
  const paint = createPaint(color);
  const { recommended, usual, cheapest } = plan;
  const shown = selectCurvePoints(plan);
  const saved = 1 - recommended.cost / usual.cost;
  const verdict =
    `Compact above ${formatTokens(recommended.trigger)} tokens (${formatPercent(recommended.ratio)} of the window): about ` +
    `${recommended.callsBetween} calls apart, ${formatUsd(recommended.cost * words.inputPrice)} for the session, ` +
    `${saved >= 0 ? `${formatPercent(saved)} less` : `${formatPercent(-saved)} more`} than at ${formatPercent(usual.ratio)}.`;
  return [
    ...wrapText(verdict, width).map((line) => formatRow([['bold', line]], width, paint)),
    formatRow([['dim', `In a policy: trigger: { tokens: ${recommended.trigger} }`]], width, paint),
    '',
    formatRow(
      [['dim', `${'trigger'.padStart(9)}  ${'window'.padStart(7)}  ${'cost'.padStart(9)}  compactions`]],
      width,
      paint,
    ),
    ...shown.map((point) => formatRow(pointRow(point, plan, words), width, paint)),
    '',
    formatRow([['bold', 'What this rests on']], width, paint),
    ...words.assumptions
      .flatMap((text) => wrapText(`- ${text}`, width))
      .map((line) => formatRow([['dim', line]], width, paint)),
    ...(cheapest === recommended
      ? []
      : wrapText(
          `The cheapest trigger is ${formatTokens(cheapest.trigger)}; the recommended one costs at most 1 % more and compacts ` +
            `${recommended.compactions} times, not ${cheapest.compactions}: every compaction forgets something.`,
          width,
        )),
  ];
}

function selectCurvePoints({ points, recommended, cheapest, usual }: TriggerPlan): TriggerPoint[] {
  const named = new Set([recommended, cheapest]);
  const some = points.filter((point, place) => place % POINT_STEP === 0 || named.has(point));
  return [...some, usual].toSorted((one, other) => one.trigger - other.trigger);
}

function pointRow(
  point: TriggerPoint,
  { points, recommended, cheapest, usual }: TriggerPlan,
  { inputPrice }: PlanTexts,
): Span[] {
  const most = Math.max(...points.map(({ cost }) => cost), usual.cost);
  const name =
    point === recommended ? ' ← recommended' : point === cheapest ? ' ← cheapest' : point === usual ? ' ← 75 %' : '';
  const text =
    `${formatTokens(point.trigger).padStart(9)}  ${formatPercent(point.ratio).padStart(7)}  ` +
    `${formatUsd(point.cost * inputPrice).padStart(9)}  ${padEnd(String(point.compactions), 5)} `;
  return [text, [point === recommended ? 'good' : 'accent', formatBar(point.cost / most, BAR_WIDTH)], name];
}
