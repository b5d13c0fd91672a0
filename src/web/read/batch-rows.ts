/** The rows of a batch for its page and its news: both use the same text, so that a page left open stays correct. */
import { sha256 } from '../../disk/sha256.ts';
import {
  countRuns,
  formatRunCounts,
  formatRowStatus,
  summariseAllRuns,
  type BatchRow,
  type BatchSummary,
} from '../../report/batch/summary.ts';
import { intervalText, paidCell } from '../../report/text/number-format.ts';
import { passedText } from '../../report/run/run-outcome.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { listFailedLayers } from '../../report/run/layers.ts';
import { getStatusTone } from '../../report/run/run-outcome.ts';

/** The content of a row, by the name of the cell. */
export type RowNews = { run: string; tone: string; gate: string; cells: Readonly<Record<string, string>> };

export type BatchNews = {
  counts: string;
  cost: string;
  /** Changes when other gates wait than before. */
  waiting: string;
  rows: readonly RowNews[];
};

export function rowNews({ run, status, round, iteration, rate, layers, gate, ...cost }: BatchRow): RowNews {
  return {
    run,
    tone: getStatusTone(status),
    gate: gate?.id ?? '',
    cells: {
      status: formatRowStatus({ status }),
      at: [...(round === 0 ? [] : [`r${round}`]), ...(iteration === 0 ? [] : [`i${iteration}`])].join(' '),
      rate: rate === undefined ? '' : formatPercent(rate.value),
      passed: rate === undefined ? '' : `${passedText(rate)} of ${rate.total}`,
      interval: rate === undefined ? '' : intervalText(rate.interval),
      failed: failedText(layers),
      cost: paidCell(cost),
    },
  };
}

/** For example `design × 3, subject × 1`. */
export function failedText(layers: BatchRow['layers']): string {
  return listFailedLayers(layers)
    .map(({ name, failed }) => `${name} × ${failed}`)
    .join(', ');
}

export function newsOfBatch(summary: BatchSummary): BatchNews {
  const gates = summary.rows.flatMap(({ run, gate }) => (gate === undefined ? [] : [`${run} ${gate.digest}`]));
  return {
    counts: formatRunCounts(countRuns(summary)),
    cost: paidCell(summariseAllRuns(summary)),
    waiting: sha256(gates.join('\n')).slice(0, 12),
    rows: summary.rows.map(rowNews),
  };
}

/** Returns the part of the news that an open page does not have yet, or undefined when it has everything. */
export function changedNews(before: BatchNews, now: BatchNews): BatchNews | undefined {
  const known = new Map(before.rows.map((row) => [row.run, JSON.stringify(row)]));
  const rows = now.rows.filter((row) => known.get(row.run) !== JSON.stringify(row));
  const same = before.counts === now.counts && before.cost === now.cost && before.waiting === now.waiting;
  return same && rows.length === 0 ? undefined : { ...now, rows };
}
