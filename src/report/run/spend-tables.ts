/** What a run spent, and what its contexts gave up, as tables of every report. */
import { formatPercent } from '../../scenario/percent.ts';
import type { ReportTable } from '../text/markdown.ts';
import { formatDuration, formatTokens, paidCell } from '../text/number-format.ts';
import type { RunSummary, SpentSummary } from './run-summary.ts';

/** Cost and time per agent or step, and of all of them; the times of parallel calls add up. */
export function spentTable(
  by: 'agent' | 'step',
  spent: Readonly<Record<string, SpentSummary>>,
  whole?: SpentSummary,
): ReportTable {
  const rows = Object.entries({ ...spent, ...(whole && { all: whole }) });
  const isCached = rows.some(([, { cacheRead }]) => cacheRead !== undefined);
  const isTimed = rows.some(([, { ms }]) => ms !== undefined);
  const more = [
    isCached ? ['input from the cache'] : [],
    isTimed ? ['waited for answers, calls added up', 'longest call'] : [],
  ];
  return {
    label: `Cost by ${by}`,
    head: [by, 'cost', 'model calls', ...more.flat()],
    rows: rows.map(([name, { calls, cacheRead, ms = Number.NaN, longestMs = Number.NaN, ...cost }]) => [
      ...[{ text: name }, paidCell(cost), calls],
      ...(isCached ? [cacheRead === undefined ? '–' : formatPercent(cacheRead)] : []),
      ...(isTimed ? [formatDuration(ms), formatDuration(longestMs)] : []),
    ]),
  };
}

/** Returns undefined when nothing was compacted. */
export function compactionsTable({ compactions }: RunSummary): ReportTable | undefined {
  if (compactions.length === 0) return undefined;
  return {
    label: 'Compactions',
    head: ['agent', 'entry', 'tokens before', 'after', 'steps summarised', 'kept', 'reason'],
    rows: compactions.map((one) => [
      ...[{ text: one.agent }, { code: one.entry }, formatTokens(one.tokensBefore), formatTokens(one.tokensAfter)],
      ...[one.stepsSummarised, one.stepsKept, { text: one.reason }],
    ]),
  };
}
