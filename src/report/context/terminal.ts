/** Renders an agent's context as terminal rows: view by kind and age, the cut, the calls over time, the receipts. */
import type { ContextPicture, PictureRow } from '../../context-lab/picture.ts';
import { answerTimes, cacheReadShare, estimateError, billedInput } from '../../context-lab/history.ts';
import { attemptText, changeText, KIND_LABELS, policyText, receiptText, unansweredText } from './context-part-names.ts';
import { formatCallColumns } from './call-columns.ts';
import { formatCount, formatDuration, formatTokens } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { createPaint, formatRow, type Paint, type Span, type TerminalSize } from '../text/terminal-colors.ts';
import { terminalText } from '../text/sanitise.ts';
import { padEnd, truncateText, wrapText } from '../text/width.ts';

/** Maximum number of shown rows of the view; the middle of a longer one becomes one row. */
const MOST_ROWS = 24;
const BAR_WIDTH = 32;
const MOST_CHANGES = 12;

export type ContextHead = { agent: string; window?: number };

export function renderContext(picture: ContextPicture, head: ContextHead, { columns, color }: TerminalSize): string[] {
  const width = Math.max(20, Math.floor(columns) || 20);
  const paint = createPaint(color);
  const line = (...spans: Span[]) => formatRow(spans, width, paint);
  return [
    ...headRows(picture, head).map((spans) => line(...spans)),
    line(['dim', terminalText(policyText(picture.history))]),
    line(...formatKindBar(picture, Math.max(10, width - 2))),
    ...wrapText(formatLegend(picture), width).map((text) => line(['dim', text])),
    ...wrapText(itemText(picture), width).map((text) => line(['dim', text])),
    '',
    line(['bold', 'The view, oldest first']),
    ...viewRows(picture, width, paint),
    '',
    line(['bold', 'Tokens of each call']),
    ...formatCallColumns(picture.history, width, paint),
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
  return [
    [
      ['bold', agent],
      `  ${history.model ?? 'model not recorded'}  ${formatCount(history.calls.length, 'call')}${took}  `,
    ],
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

function viewRows({ rows, cut }: ContextPicture, width: number, paint: Paint): string[] {
  const most = Math.max(1, ...rows.map(sumRowTokens));
  const cutRow = cut && rows.findIndex(({ entry }) => entry !== cut.entry);
  const half = Math.floor(MOST_ROWS / 2);
  const hidden = rows.length > MOST_ROWS ? rows.slice(half, rows.length - half) : [];
  return rows.flatMap((one, place) => {
    const before = cut !== undefined && place === cutRow ? [formatRow([['warn', cutText(cut)]], width, paint)] : [];
    if (one === hidden[0]) {
      const text = `      … ${formatCount(hidden.length, 'message')}, ${formatTokens(hidden.reduce((sum, each) => sum + sumRowTokens(each), 0))} tokens`;
      return [...before, formatRow([['dim', text]], width, paint)];
    }
    return hidden.includes(one) ? before : [...before, formatRow(formatRowSpans(one, most), width, paint)];
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
    ...wrapText(terminalText(unansweredText(one)), width - 2).map((part) => `  ${part}`),
    ...one.decisions.flatMap((tried) =>
      wrapText(terminalText(attemptText(tried)), width - 4).map((part) => `    ${part}`),
    ),
  ]);
  return ['', 'Calls without an answer', ...rows];
}

function receiptRows({ history }: ContextPicture, width: number): string[] {
  const { compactions, refusals, calls } = history;
  if (compactions.length + refusals.length === 0) return ['  none'];
  const events = [
    ...compactions.map((one) => ({
      at: one.afterCalls,
      entry: one.entry,
      text: receiptText(one),
      tries: one.receipt.decisions,
    })),
    ...refusals.map((one) => ({
      at: one.afterCalls,
      entry: one.entry,
      text: `refused, the old view stayed: ${one.cause}: ${one.detail}`,
      tries: [],
    })),
  ].toSorted((one, other) => one.at - other.at);
  return events.flatMap(({ at, entry, text, tries }) => {
    const held = calls[at] === undefined ? '' : `, next call ${formatTokens(billedInput(calls[at]))}`;
    const lines = wrapText(terminalText(text), width - 4).map((part) => `    ${part}`);
    const last = tries.at(-1);
    const tried =
      last === undefined
        ? []
        : [
            `    ${formatCount(tries.length, 'try', 'tries')}, last: ${last.pass}: ${last.detail} (${formatTokens(last.tokens)})`,
          ];
    return [`  ${entry} after call ${at}${held}`, ...lines, ...tried];
  });
}
