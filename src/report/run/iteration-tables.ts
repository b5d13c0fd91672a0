/** The tables of every report of a run: its iterations, what moved the rate between them, costs and compactions. */
import type { ReportTable } from '../text/markdown.ts';
import { formatDuration, formatTokens, formatUsd, paidCell, rateInterval, rateText } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { clipText } from '../text/sanitise.ts';
import { countFailed, layerColumns } from './layers.ts';
import { describeChanges, changeRows, formatPoints } from './rate-change.ts';
import { passedText } from './run-outcome.ts';
import type { IterationSummary, RunSummary, SpentSummary } from './run-summary.ts';

export function iterationsTable(iterations: readonly IterationSummary[]): ReportTable {
  const columns = layerColumns(iterations.map(({ layers }) => layers));
  const layers = columns.map(({ name }) => `failed: ${name}`);
  return {
    label: 'Iterations',
    head: ['iteration', 'round', 'rate', '95 % interval', 'passed', 'unscored', ...layers, 'cost', 'then'],
    rows: iterations.map((one) => [
      ...[one.iteration, `r${one.round}`, { strong: rateText(one) }, rateInterval(one)],
      ...[
        `${passedText(one)} of ${one.total}`,
        one.unscored,
        ...columns.map(({ key }) => countFailed(one.layers, key)),
      ],
      ...[formatUsd(one.costUsd), one.returned ? 'returned to Init' : ''],
    ]),
  };
}

/** Returns undefined before there are two iterations to compare. */
export function changesTable(iterations: readonly IterationSummary[]): ReportTable | undefined {
  const rows = changeRows(iterations);
  if (rows.length === 0) return undefined;
  return {
    label: 'What moved the rate',
    head: ['', 'points', 'by repairs', 'by the subject', 'unclear', 'changed', 'notes of Execute'],
    rows: rows.map(({ from, to, whole, change, notes }) => [
      ...[`i${from} → i${to}`, { strong: formatPoints(whole) }],
      ...(change === undefined
        ? ['not recorded', 'not recorded', 'not recorded', '']
        : [
            formatPoints(change.evaluation),
            formatPoints(change.subject),
            formatPoints(change.either),
            { text: describeChanges(change, 6) },
          ]),
      { text: notes.map((note) => clipText(note, 300)).join(' · ') },
    ]),
  };
}

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
