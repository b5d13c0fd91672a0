/** Renders a batch on a terminal: one row per run and the totals, the same during the batch and at its end. */
import { countRuns, formatRunCounts, summariseAllRuns, type BatchRow, type BatchSummary } from './summary.ts';
import { formatBar, formatCount, paidCell, paidText, formatUsd } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { createPaint, createRowFormatter, type Span, type Style, type TerminalSize } from '../text/terminal-colors.ts';
import { getStatusTone } from '../run/run-outcome.ts';

/** The current activity of a run, where it is known. */
export type BatchProgress = { text: string; share?: number };

const STATUS_WORDS: Partial<Record<BatchRow['status'], string>> = {
  succeeded: 'target met',
  failed: 'not met',
  awaiting_approval: 'waits at gate',
  not_started: 'not started',
  newer: 'made by newer',
};

/** Runs not begun are dim, those under way highlighted; every other status has the tone it has on all pages. */
function getRowStyle(status: BatchRow['status']): Style {
  const tone = getStatusTone(status);
  if (tone !== 'plain') return tone;
  return status === 'not_started' || status === 'created' ? 'dim' : 'accent';
}

/** Returns at most `height` lines: rows that need a person come first when not all fit. */
export function renderBatch(
  summary: BatchSummary,
  now: ReadonlyMap<string, BatchProgress>,
  size: TerminalSize & { height: number },
): string[] {
  const row = createRowFormatter(size.columns, createPaint(size.color));
  const room = Math.max(1, size.height - 3);
  const shown = summary.rows.length <= room ? summary.rows : urgentFirst(summary.rows).slice(0, room - 1);
  const hidden = summary.rows.length - shown.length;
  return [
    row(['bold', `batch ${summary.batch}`], `  ${formatCount(summary.rows.length, 'run')}`),
    ...shown.map((one) => row(...runSpans(one, now.get(one.run))).trimEnd()),
    ...(hidden > 0 ? [row(['dim', `  … and ${hidden} more`])] : []),
    row(formatTotals(summary)),
  ];
}

function urgentFirst(rows: readonly BatchRow[]): BatchRow[] {
  const order: readonly BatchRow['status'][] = [
    'errored',
    'unreadable',
    'newer',
    'paused',
    'awaiting_approval',
    'executing',
    'designing',
  ];
  const rank = ({ status }: BatchRow) => (order.includes(status) ? order.indexOf(status) : order.length);
  return rows.toSorted((one, other) => rank(one) - rank(other));
}

function runSpans(one: BatchRow, now: BatchProgress | undefined): Span[] {
  const place = one.round === 0 ? '' : `r${one.round}${one.iteration === 0 ? '' : ` i${one.iteration}`}`;
  const rate = one.rate === undefined ? '' : formatPercent(one.rate.value);
  const share: Span[] = now?.share === undefined ? [] : [['accent', `${formatBar(now.share, 10)} `]];
  return [
    `${(one.run.split('-').at(-1) ?? '').padStart(4)}  ${one.scenario.padEnd(20)} `,
    [getRowStyle(one.status), (STATUS_WORDS[one.status] ?? one.status).padEnd(14)],
    ` ${place.padEnd(7)} ${rate.padStart(6)}  ${paidCell(one).padStart(7)}  `,
    ...share,
    ['dim', now === undefined ? formatRowDetail(one) : now.text],
  ];
}

function formatRowDetail(one: BatchRow): string {
  if (one.gate !== undefined) return one.gate.id;
  return ['paused', 'errored', 'unreadable', 'newer', 'rejected'].includes(one.status) ? one.why : (one.against ?? '');
}

function formatTotals(summary: BatchSummary): string {
  const total = summariseAllRuns(summary);
  const cap = summary.budgetUsd === undefined ? '' : ` of ${formatUsd(summary.budgetUsd)}`;
  return `${formatRunCounts(countRuns(summary))}  ${paidText(total)}${cap}, ${formatCount(total.calls, 'model call')}`;
}
