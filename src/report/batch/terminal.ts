/** A batch on a terminal: one row a run, then what they come to; the same rows while it goes on and at its end. */
import { countsOf, countsText, totalOf, type BatchRow, type BatchSummary } from './summary.ts';
import { bar, count, paidCell, paidText, usd } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { createPaint, row, type Span, type Style, type TerminalSize } from '../text/terminal-colors.ts';
import { toneOf } from '../run/verdict.ts';

/** What is happening in a run right now, where that is known. */
export type BatchProgress = { text: string; share?: number };

const WORDS: Partial<Record<BatchRow['status'], string>> = {
  succeeded: 'target met',
  failed: 'not met',
  awaiting_approval: 'waits at gate',
  not_started: 'not started',
  newer: 'made by newer',
};

/** Runs not begun are faint, those under way are highlighted; everything else as on every page. */
function styleOf(status: BatchRow['status']): Style {
  const tone = toneOf(status);
  if (tone !== 'plain') return tone;
  return status === 'not_started' || status === 'created' ? 'dim' : 'accent';
}

/** At most `height` lines: rows that need a person come first when not all fit. */
export function renderBatch(
  summary: BatchSummary,
  now: ReadonlyMap<string, BatchProgress>,
  size: TerminalSize & { height: number },
): string[] {
  const paint = createPaint(size.color);
  const room = Math.max(1, size.height - 3);
  const shown = summary.rows.length <= room ? summary.rows : urgentFirst(summary.rows).slice(0, room - 1);
  const hidden = summary.rows.length - shown.length;
  return [
    row([['bold', `batch ${summary.batch}`], `  ${count(summary.rows.length, 'run')}`], size.columns, paint),
    ...shown.map((one) => row(runSpans(one, now.get(one.run)), size.columns, paint).trimEnd()),
    ...(hidden > 0 ? [row([['dim', `  … and ${hidden} more`]], size.columns, paint)] : []),
    row([totals(summary)], size.columns, paint),
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
  const share: Span[] = now?.share === undefined ? [] : [['accent', `${bar(now.share, 10)} `]];
  return [
    `${(one.run.split('-').at(-1) ?? '').padStart(4)}  ${one.scenario.padEnd(20)} `,
    [styleOf(one.status), (WORDS[one.status] ?? one.status).padEnd(14)],
    ` ${place.padEnd(7)} ${rate.padStart(6)}  ${paidCell(one).padStart(7)}  `,
    ...share,
    ['dim', now === undefined ? detail(one) : now.text],
  ];
}

function detail(one: BatchRow): string {
  if (one.gate !== undefined) return one.gate.id;
  return ['paused', 'errored', 'unreadable', 'newer', 'rejected'].includes(one.status) ? one.why : '';
}

function totals(summary: BatchSummary): string {
  const total = totalOf(summary);
  const cap = summary.budgetUsd === undefined ? '' : ` of ${usd(summary.budgetUsd)}`;
  return `${countsText(countsOf(summary))}  ${paidText(total)}${cap}, ${count(total.calls, 'model call')}`;
}
