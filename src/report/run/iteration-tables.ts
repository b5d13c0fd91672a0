/** The iterations of a run as tables: their numbers, and what moved the rate between them. */
import type { ReportTable } from '../text/markdown.ts';
import { rateInterval, rateText, formatUsd } from '../text/number-format.ts';
import { clipText } from '../text/sanitise.ts';
import { countFailed, layerColumns } from './layers.ts';
import { describeChanges, changeRows, formatPoints } from './rate-change.ts';
import { passedText } from './run-outcome.ts';
import type { IterationSummary } from './run-summary.ts';

export function iterationsTable(iterations: readonly IterationSummary[]): ReportTable {
  const columns = layerColumns(iterations.map(({ layers }) => layers));
  const layers = columns.map(({ key }) => `L${key}`);
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
