/** The context of an agent as terminal rows: the view by kind and age, the cut, the calls over time, the receipts. */
import type { ContextPicture, PictureRow } from '../../context-lab/picture.ts';
import { answerTimes, cacheReadShare, estimateError, billedInput } from '../../context-lab/history.ts';
import { attemptText, changeText, KIND_LABELS, policyText, receiptText, unansweredText } from './words.ts';
import { timeRows } from './time.ts';
import { count, duration, tokens } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { createPaint, row, type Paint, type Span, type TerminalSize } from '../text/terminal-colors.ts';
import { terminalText } from '../text/sanitise.ts';
import { padEnd, truncate, wrap } from '../text/width.ts';

/** Rows of the view that are shown; the middle of a longer one becomes one row. */
const MOST_ROWS = 24;
const BAR = 32;
const MOST_CHANGES = 12;

export type ContextHead = { agent: string; window?: number };

export function renderContext(picture: ContextPicture, head: ContextHead, { columns, color }: TerminalSize): string[] {
  const width = Math.max(20, Math.floor(columns) || 20);
  const paint = createPaint(color);
  const line = (...spans: Span[]) => row(spans, width, paint);
  return [
    ...headRows(picture, head).map((spans) => line(...spans)),
    line(['dim', terminalText(policyText(picture.history))]),
    line(...stack(picture, Math.max(10, width - 2))),
    ...wrap(legend(picture), width).map((text) => line(['dim', text])),
    ...wrap(itemText(picture), width).map((text) => line(['dim', text])),
    '',
    line(['bold', 'The view, oldest first']),
    ...viewRows(picture, width, paint),
    '',
    line(['bold', 'Tokens of each call']),
    ...timeRows(picture.history, width, paint),
    '',
    line(['bold', 'Compactions']),
    ...receiptRows(picture, width).map((text) => line(text)),
    ...unansweredRows(picture, width).map((text) => line(text)),
    ...changeRows(picture).map((text) => line(text)),
  ];
}

/** What a policy's `drop-items` would speak of. */
function itemText({ items }: ContextPicture): string {
  const parts = items.map(
    ({ type, segment, count: number, tokens: size }) =>
      `${number} ${type} ${tokens(size)}${segment === 'header' ? ' (header)' : ''}`,
  );
  return parts.length === 0 ? '' : `by type: ${parts.join(', ')}`;
}

/** Those that no compaction has said already. */
function changeRows({ changes }: ContextPicture): string[] {
  const others = changes.filter(({ type }) => type === 'layer_changed' || type === 'item_added');
  const shown = others.slice(-MOST_CHANGES);
  const left = others.length - shown.length;
  if (others.length === 0) return [];
  return [
    '',
    'Added by the harness',
    ...(left > 0 ? [`  … ${count(left, 'earlier change')}`] : []),
    ...shown.map((change) => `  ${change.entry} ${terminalText(changeText(change))}`),
  ];
}

function headRows({ history, tokens: size, rows }: ContextPicture, { agent, window }: ContextHead): Span[][] {
  const share = cacheReadShare(history);
  const of = window === undefined ? '' : ` of a window of ${tokens(window)} (${formatPercent(size / window)})`;
  const off = estimateError(history);
  const times = answerTimes(history);
  const longest = times && `, the longest ${duration(times.longest.durationMs ?? 0)} (${times.longest.entry})`;
  const took = times === undefined ? '' : ` in ${duration(times.ms)}${longest}`;
  const expected = off === undefined ? '' : `, expected within ${formatPercent(off)}`;
  const read =
    share === undefined ? 'nothing billed yet' : `${formatPercent(share)} of all input read from the cache${expected}`;
  return [
    [['bold', agent], `  ${history.model ?? 'model not recorded'}  ${count(history.calls.length, 'call')}${took}  `],
    [['accent', `about ${tokens(size)} tokens now${of}`], `  ${count(rows.length, 'message')}  ${read}`],
  ];
}

/** One bar for the whole view; every kind has at least one cell. */
function stack({ kinds, fixed, tokens: all }: ContextPicture, width: number): Span[] {
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

function legend({ kinds, fixed }: ContextPicture): string {
  const parts = kinds.map(
    ({ kind, tokens: size }) => `${KIND_LABELS[kind].sign} ${KIND_LABELS[kind].name} ${tokens(size)}`,
  );
  return [...(fixed > 0 ? [`▁ system and tools ${tokens(fixed)}`] : []), ...parts].join('   ');
}

function viewRows({ rows, cut }: ContextPicture, width: number, paint: Paint): string[] {
  const most = Math.max(1, ...rows.map(sizeOf));
  const cutRow = cut && rows.findIndex(({ entry }) => entry !== cut.entry);
  const half = Math.floor(MOST_ROWS / 2);
  const hidden = rows.length > MOST_ROWS ? rows.slice(half, rows.length - half) : [];
  return rows.flatMap((one, place) => {
    const before = cut !== undefined && place === cutRow ? [row([['warn', cutText(cut)]], width, paint)] : [];
    if (one === hidden[0]) {
      const text = `      … ${count(hidden.length, 'message')}, ${tokens(hidden.reduce((sum, each) => sum + sizeOf(each), 0))} tokens`;
      return [...before, row([['dim', text]], width, paint)];
    }
    return hidden.includes(one) ? before : [...before, row(spansOf(one, most), width, paint)];
  });
}

function spansOf(one: PictureRow, most: number): Span[] {
  const cells = (size: number) => Math.max(size > 0 ? 1 : 0, Math.round((size / most) * BAR));
  const parts = one.parts.map(({ kind, tokens: size }): [Span, number] => [
    [KIND_LABELS[kind].style, KIND_LABELS[kind].sign.repeat(cells(size))],
    cells(size),
  ]);
  const used = parts.reduce((sum, [, cell]) => sum + cell, 0);
  return [
    ['dim', padEnd(`  ${truncate(one.entry, 7)}`, 10)],
    padEnd(one.role === 'assistant' ? 'model' : one.role, 7),
    ...parts.map(([span]) => span),
    ' '.repeat(Math.max(1, BAR + 4 - used)),
    padEnd(tokens(sizeOf(one)), 8),
    ['dim', terminalText(one.label)],
  ];
}

function sizeOf({ parts }: PictureRow): number {
  return parts.reduce((sum, part) => sum + part.tokens, 0);
}

function cutText({ entry, coversThrough, covered, coveredTokens }: NonNullable<ContextPicture['cut']>): string {
  return `  ✂ ${entry} replaces everything through ${coversThrough}: ${count(covered, 'message')}, about ${tokens(coveredTokens)} tokens`;
}

function unansweredRows({ history: { unanswered = [] } }: ContextPicture, width: number): string[] {
  if (unanswered.length === 0) return [];
  const rows = unanswered.flatMap((one) => [
    ...wrap(terminalText(unansweredText(one)), width - 2).map((part) => `  ${part}`),
    ...one.decisions.flatMap((tried) => wrap(terminalText(attemptText(tried)), width - 4).map((part) => `    ${part}`)),
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
    const held = calls[at] === undefined ? '' : `, next call ${tokens(billedInput(calls[at]))}`;
    const lines = wrap(terminalText(text), width - 4).map((part) => `    ${part}`);
    const last = tries.at(-1);
    const tried =
      last === undefined
        ? []
        : [`    ${count(tries.length, 'try', 'tries')}, last: ${last.pass}: ${last.detail} (${tokens(last.tokens)})`];
    return [`  ${entry} after call ${at}${held}`, ...lines, ...tried];
  });
}
