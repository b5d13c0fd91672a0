/** Renders an agent's context as terminal rows: view by kind and age, the cut, the calls over time, the receipts. */
import type { ContextPicture, PictureRow } from '../../context-lab/picture.ts';
import {
  answerTimes,
  billedInput,
  cacheReadShare,
  estimateError,
  type ContextHistory,
} from '../../context-lab/history.ts';
import { attemptText, changeText, KIND_LABELS, policyText, receiptText, unansweredText } from './context-part-names.ts';
import { formatCount, formatDuration, formatTokens } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import {
  createPaint,
  createRowFormatter,
  type RowFormatter,
  type Span,
  type TerminalSize,
} from '../text/terminal-colors.ts';
import { terminalText } from '../text/sanitise.ts';
import { padEnd, truncateText, wrapText } from '../text/width.ts';

/** Maximum number of shown rows of the view; the middle of a longer one becomes one row. */
const MOST_ROWS = 24;
const BAR_WIDTH = 32;
const MOST_CHANGES = 12;

export type ContextHead = { agent: string; window?: number };

export function renderContext(picture: ContextPicture, head: ContextHead, { columns, color }: TerminalSize): string[] {
  const width = Math.max(20, Math.floor(columns) || 20);
  const line = createRowFormatter(width, createPaint(color));
  return [
    ...headRows(picture, head).map((spans) => line(...spans)),
    line(['dim', terminalText(policyText(picture.history))]),
    line(...formatKindBar(picture, Math.max(10, width - 2))),
    ...wrapText(formatLegend(picture), width).map((text) => line(['dim', text])),
    ...wrapText(itemText(picture), width).map((text) => line(['dim', text])),
    '',
    line(['bold', 'The view, oldest first']),
    ...viewRows(picture, line),
    '',
    line(['bold', 'Tokens of each call']),
    ...formatCallColumns(picture.history, width, line),
    '',
    line(['bold', 'Compactions']),
    ...receiptRows(picture, width).map((text) => line(text)),
    ...unansweredRows(picture, width).map((text) => line(text)),
    ...changeRows(picture).map((text) => line(text)),
  ];
}

/** Lists the item types that a policy's `drop-items` can name. */
function itemText({ items }: ContextPicture): string {
  const parts = items.map(
    ({ type, segment, count: number, tokens: size }) =>
      `${number} ${type} ${formatTokens(size)}${segment === 'header' ? ' (header)' : ''}`,
  );
  return parts.length === 0 ? '' : `by type: ${parts.join(', ')}`;
}

/** Lists the changes that no compaction receipt covers. */
function changeRows({ changes }: ContextPicture): string[] {
  const others = changes.filter(({ type }) => type === 'layer_changed' || type === 'item_added');
  const shown = others.slice(-MOST_CHANGES);
  const left = others.length - shown.length;
  if (others.length === 0) return [];
  return [
    '',
    'Added by the harness',
    ...(left > 0 ? [`  … ${formatCount(left, 'earlier change')}`] : []),
    ...shown.map((change) => `  ${change.entry} ${terminalText(changeText(change))}`),
  ];
}

function headRows({ history, tokens: size, rows }: ContextPicture, { agent, window }: ContextHead): Span[][] {
  const share = cacheReadShare(history);
  const of = window === undefined ? '' : ` of a window of ${formatTokens(window)} (${formatPercent(size / window)})`;
  const off = estimateError(history);
  const times = answerTimes(history);
  const longest = times && `, the longest ${formatDuration(times.longest.durationMs ?? 0)} (${times.longest.entry})`;
  const took = times === undefined ? '' : ` in ${formatDuration(times.ms)}${longest}`;
  const expected = off === undefined ? '' : `, expected within ${formatPercent(off)}`;
  const read =
    share === undefined ? 'nothing billed yet' : `${formatPercent(share)} of all input read from the cache${expected}`;
  const { model = 'model not recorded', calls } = history;
  return [
    [['bold', agent], `  ${model}  ${formatCount(calls.length, 'call')}${took}  `],
    [['accent', `about ${formatTokens(size)} tokens now${of}`], `  ${formatCount(rows.length, 'message')}  ${read}`],
  ];
}

/** Draws one bar for the whole view, in which every kind has at least one cell. */
function formatKindBar({ kinds, fixed, tokens: all }: ContextPicture, width: number): Span[] {
  const cells = (size: number) => (all === 0 ? 0 : Math.max(1, Math.round((size / all) * width)));
  const first: Span[] = fixed > 0 ? [['dim', '▁'.repeat(cells(fixed))]] : [];
  return [
    ...first,
    ...kinds.map(({ kind, tokens: size }): Span => [
      KIND_LABELS[kind].style,
      KIND_LABELS[kind].sign.repeat(cells(size)),
    ]),
  ];
}

function formatLegend({ kinds, fixed }: ContextPicture): string {
  const parts = kinds.map(
    ({ kind, tokens: size }) => `${KIND_LABELS[kind].sign} ${KIND_LABELS[kind].name} ${formatTokens(size)}`,
  );
  return [...(fixed > 0 ? [`▁ system and tools ${formatTokens(fixed)}`] : []), ...parts].join('   ');
}

function viewRows({ rows, cut }: ContextPicture, line: RowFormatter): string[] {
  const most = Math.max(1, ...rows.map(sumRowTokens));
  const cutRow = cut && rows.findIndex(({ entry }) => entry !== cut.entry);
  const half = Math.floor(MOST_ROWS / 2);
  const hidden = rows.length > MOST_ROWS ? rows.slice(half, rows.length - half) : [];
  return rows.flatMap((one, place) => {
    const before = cut !== undefined && place === cutRow ? [line(['warn', cutText(cut)])] : [];
    if (one === hidden[0]) {
      const size = hidden.reduce((sum, each) => sum + sumRowTokens(each), 0);
      return [
        ...before,
        line(['dim', `      … ${formatCount(hidden.length, 'message')}, ${formatTokens(size)} tokens`]),
      ];
    }
    return hidden.includes(one) ? before : [...before, line(...formatRowSpans(one, most))];
  });
}

function formatRowSpans(one: PictureRow, most: number): Span[] {
  const cells = (size: number) => Math.max(size > 0 ? 1 : 0, Math.round((size / most) * BAR_WIDTH));
  const parts = one.parts.map(({ kind, tokens: size }): [Span, number] => [
    [KIND_LABELS[kind].style, KIND_LABELS[kind].sign.repeat(cells(size))],
    cells(size),
  ]);
  const used = parts.reduce((sum, [, cell]) => sum + cell, 0);
  return [
    ['dim', padEnd(`  ${truncateText(one.entry, 7)}`, 10)],
    padEnd(one.role === 'assistant' ? 'model' : one.role, 7),
    ...parts.map(([span]) => span),
    ' '.repeat(Math.max(1, BAR_WIDTH + 4 - used)),
    padEnd(formatTokens(sumRowTokens(one)), 8),
    ['dim', terminalText(one.label)],
  ];
}

function sumRowTokens({ parts }: PictureRow): number {
  return parts.reduce((sum, part) => sum + part.tokens, 0);
}

function cutText({ entry, coversThrough, covered, coveredTokens }: NonNullable<ContextPicture['cut']>): string {
  return `  ✂ ${entry} replaces everything through ${coversThrough}: ${formatCount(covered, 'message')}, about ${formatTokens(coveredTokens)} tokens`;
}

function unansweredRows({ history: { unanswered = [] } }: ContextPicture, width: number): string[] {
  if (unanswered.length === 0) return [];
  const rows = unanswered.flatMap((one) => [
    ...indentText(unansweredText(one), width, 2),
    ...one.decisions.flatMap((tried) => indentText(attemptText(tried), width, 4)),
  ]);
  return ['', 'Calls without an answer', ...rows];
}

function indentText(text: string, width: number, indent: number): string[] {
  return wrapText(terminalText(text), width - indent).map((part) => `${' '.repeat(indent)}${part}`);
}

function receiptRows({ history }: ContextPicture, width: number): string[] {
  const { compactions, refusals, calls } = history;
  if (compactions.length + refusals.length === 0) return ['  none'];
  const events = [...compactions, ...refusals].toSorted((one, other) => one.afterCalls - other.afterCalls);
  return events.flatMap((event) => {
    const { entry, afterCalls: at } = event;
    const [text, tries] =
      'receipt' in event
        ? [receiptText(event), event.receipt.decisions]
        : [`refused, the old view stayed: ${event.cause}: ${event.detail}`, []];
    const held = calls[at] === undefined ? '' : `, next call ${formatTokens(billedInput(calls[at]))}`;
    const count = formatCount(tries.length, 'try', 'tries');
    const tried = tries
      .slice(-1)
      .map(({ pass, detail, tokens: size }) => `    ${count}, last: ${pass}: ${detail} (${formatTokens(size)})`);
    return [`  ${entry} after call ${at}${held}`, ...indentText(text, width, 4), ...tried];
  });
}

const HEIGHT = 8;
const AXIS_WIDTH = 9;
const TRIGGER_LINE = '╌';
const EIGHTHS = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

type CallColumn = { input: number; read: number; epoch: boolean };

function formatCallColumns(history: ContextHistory, width: number, row: RowFormatter): string[] {
  if (history.calls.length === 0) return ['  no call was billed'];
  const columns = groupIntoColumns(history, Math.max(8, width - AXIS_WIDTH - 2));
  const most = Math.max(1, ...columns.map(({ input }) => input));
  const trigger = history.context?.trigger ?? Number.POSITIVE_INFINITY;
  const line = trigger > most ? undefined : Math.min(HEIGHT - 1, Math.floor((trigger / most) * HEIGHT));
  const rows = Array.from({ length: HEIGHT }, (_, index) => {
    const level = HEIGHT - 1 - index;
    const name = index === 0 ? formatTokens(most) : index === HEIGHT - 1 ? '0' : '';
    const drawn = columns.map((one) => drawCell(one.input, most, level)).join('');
    const shown = level === line ? drawn.replaceAll(' ', TRIGGER_LINE) : drawn;
    return row(['dim', `${name.padStart(AXIS_WIDTH - 2)} ┤`], shown);
  });
  const margin = ' '.repeat(AXIS_WIDTH);
  const marks = columns.map(({ epoch }) => (epoch ? '┴' : '─')).join('');
  const cached = columns
    .map(({ read, input }) => EIGHTHS[Math.round((input === 0 ? 0 : read / input) * 8)] || ' ')
    .join('');
  return [
    ...rows,
    row(['dim', `${''.padStart(AXIS_WIDTH - 1)}└`], ['warn', marks]),
    row(['dim', `${'cached'.padStart(AXIS_WIDTH - 2)}  `], ['good', cached]),
    row(['dim', `${margin}┴ a compaction came before this call: a new epoch`]),
    ...(line === undefined
      ? []
      : [row(['dim', `${margin}${TRIGGER_LINE} above ${formatTokens(trigger)} it compacts`])]),
  ];
}

/** Where there are more calls than columns, a column shows the largest of its calls. */
function groupIntoColumns({ calls }: ContextHistory, room: number): CallColumn[] {
  const per = Math.max(1, Math.ceil(calls.length / room));
  return Array.from({ length: Math.ceil(calls.length / per) }, (_, place) => {
    const from = place * per;
    const group = calls.slice(from, from + per);
    const largest = group.reduce((best, call) => (billedInput(call) > billedInput(best) ? call : best));
    const before = calls[from - 1]?.epoch ?? 0;
    return { input: billedInput(largest), read: largest.read, epoch: (group.at(-1)?.epoch ?? 0) > before };
  });
}

function drawCell(value: number, most: number, level: number): string {
  const eighths = Math.round((value / most) * HEIGHT * 8) - level * 8;
  return EIGHTHS[Math.min(8, Math.max(0, eighths))] || ' ';
}
