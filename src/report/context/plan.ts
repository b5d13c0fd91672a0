/** The cost of a session over all triggers, as a curve in the terminal, and the trigger to choose. */
import type { TriggerPlan, TriggerPoint } from '../../context-lab/economics-plan.ts';
import { bar, tokens, usd } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { createPaint, row, type Span, type TerminalSize } from '../text/terminal-colors.ts';
import { padEnd, wrap } from '../text/width.ts';

export type PlanTexts = {
  /** Everything that the numbers rest on, a sentence each. */
  assumptions: readonly string[];
  /** US dollars of a fresh input token. */
  inputPrice: number;
};

const BAR = 40;
/** One in this many points of the curve is printed, in addition to the named ones. */
const EVERY = 5;

export function renderTriggerPlan(plan: TriggerPlan, words: PlanTexts, { columns, color }: TerminalSize): string[] {
  const width = Math.max(20, Math.floor(columns) || 20);
  const paint = createPaint(color);
  const { recommended, usual, cheapest } = plan;
  const shown = curve(plan);
  const saved = 1 - recommended.cost / usual.cost;
  const verdict =
    `Compact above ${tokens(recommended.trigger)} tokens (${formatPercent(recommended.ratio)} of the window): about ` +
    `${recommended.callsBetween} calls apart, ${usd(recommended.cost * words.inputPrice)} for the session, ` +
    `${saved >= 0 ? `${formatPercent(saved)} less` : `${formatPercent(-saved)} more`} than at ${formatPercent(usual.ratio)}.`;
  return [
    ...wrap(verdict, width).map((line) => row([['bold', line]], width, paint)),
    row([['dim', `In a policy: trigger: { tokens: ${recommended.trigger} }`]], width, paint),
    '',
    row(
      [['dim', `${'trigger'.padStart(9)}  ${'window'.padStart(7)}  ${'cost'.padStart(9)}  compactions`]],
      width,
      paint,
    ),
    ...shown.map((point) => row(pointRow(point, plan, words), width, paint)),
    '',
    row([['bold', 'What this rests on']], width, paint),
    ...words.assumptions.flatMap((text) => wrap(`- ${text}`, width)).map((line) => row([['dim', line]], width, paint)),
    ...(cheapest === recommended
      ? []
      : wrap(
          `The cheapest trigger is ${tokens(cheapest.trigger)}; the recommended one costs at most 1 % more and compacts ` +
            `${recommended.compactions} times, not ${cheapest.compactions}: every compaction forgets something.`,
          width,
        )),
  ];
}

function curve({ points, recommended, cheapest, usual }: TriggerPlan): TriggerPoint[] {
  const named = new Set([recommended, cheapest]);
  const some = points.filter((point, place) => place % EVERY === 0 || named.has(point));
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
    `${tokens(point.trigger).padStart(9)}  ${formatPercent(point.ratio).padStart(7)}  ` +
    `${usd(point.cost * inputPrice).padStart(9)}  ${padEnd(String(point.compactions), 5)} `;
  return [text, [point === recommended ? 'good' : 'accent', bar(point.cost / most, BAR)], name];
}
