/** The iterations of a run as tables: their numbers, and what moved the rate from each to the next. */
import type { ReportTable } from '../text/markdown.ts';
import { rateInterval, rateText, usd } from '../text/number-format.ts';
import { clip } from '../text/sanitise.ts';
import { failedIn, layerColumns } from './layers.ts';
import { changedText, changeRows, points } from './rate-change.ts';
import type { IterationSummary } from './run-summary.ts';

export function iterationsTable(iterations: readonly IterationSummary[]): ReportTable {
  const columns = layerColumns(iterations.map(({ layers }) => layers));
  const layers = columns.map(({ key }) => `L${key}`);
  return {
    label: 'Iterations',
    head: ['iteration', 'round', 'rate', '95 % interval', 'passed', 'unscored', ...layers, 'cost', 'then'],
    rows: iterations.map((one) => [
      ...[one.iteration, `r${one.round}`, { strong: rateText(one) }, rateInterval(one)],
      ...[`${one.passed} of ${one.total}`, one.unscored, ...columns.map(({ key }) => failedIn(one.layers, key))],
      ...[usd(one.costUsd), one.returned ? 'returned to Init' : ''],
    ]),
  };
}

/** Undefined before there are two to compare. */
export function changesTable(iterations: readonly IterationSummary[]): ReportTable | undefined {
  const rows = changeRows(iterations);
  if (rows.length === 0) return undefined;
  return {
    label: 'What moved the rate',
    head: ['', 'points', 'by repairs', 'by the subject', 'by one of both', 'changed', 'notes of Execute'],
    rows: rows.map(({ from, to, whole, change, notes }) => [
      ...[`i${from} → i${to}`, { strong: points(whole) }],
      ...(change === undefined
        ? ['not recorded', 'not recorded', 'not recorded', '']
        : [points(change.evaluation), points(change.subject), points(change.either), { text: changedText(change, 6) }]),
      { text: notes.map((note) => clip(note, 300)).join(' · ') },
    ]),
  };
}
