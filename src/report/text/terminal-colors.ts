/** Builds terminal rows: spans go in; cleaned, cut and coloured text comes out. */
import { terminalText } from './sanitise.ts';
import { displayWidth, truncateText } from './width.ts';

const SGR_CODES = {
  bold: '1',
  dim: '2',
  good: '32',
  bad: '31',
  warn: '33',
  accent: '36',
  design: '35',
  loud: '1;7;33',
} as const;
export type Style = keyof typeof SGR_CODES;

/** The screen properties that a renderer uses. */
export type TerminalSize = { columns: number; color: boolean };

/** Colours a text, or returns it unchanged when colours are off. */
export type Paint = (style: Style, text: string) => string;

export function createPaint(color: boolean): Paint {
  return color
    ? (style, text) => (text === '' ? '' : `\u001b[${SGR_CODES[style]}m${text}\u001b[0m`)
    : (_style, text) => text;
}

/** A piece of a row. Its text may be untrusted: it is cleaned here, so that no renderer can forget to. */
export type Span = string | readonly [style: Style, text: string];

/** Formats one row, never wider than `columns`. */
export function formatRow(spans: readonly Span[], columns: number, paint: Paint): string {
  const whole = spans.map((span) => terminalText(typeof span === 'string' ? span : span[1]));
  const fits = displayWidth(whole.join('')) <= columns;
  let left = columns;
  return spans
    .map((span, index) => {
      const text = fits ? (whole[index] ?? '') : cutSpan(whole, index, left);
      left -= displayWidth(text);
      return typeof span === 'string' ? text : paint(span[0], text);
    })
    .join('');
}

export type RowFormatter = (...spans: readonly Span[]) => string;

/** Returns `formatRow` for one width and paint. */
export function createRowFormatter(columns: number, paint: Paint): RowFormatter {
  return (...spans) => formatRow(spans, columns, paint);
}

/** Cuts a span of a row that is too long: the row ends in an ellipsis, even between two spans. */
function cutSpan(texts: readonly string[], index: number, left: number): string {
  const text = texts[index] ?? '';
  const more = texts.slice(index + 1).some((later) => later !== '');
  if (left <= 0 || text === '') return '';
  return more && displayWidth(text) >= left ? truncateText(`${text}…`, left) : truncateText(text, left);
}

/** Formats a row with a part at the right edge, which is left out when both do not fit. */
export function formatJustifiedRow(
  { left, right }: { left: readonly Span[]; right: readonly Span[] },
  columns: number,
  paint: Paint,
): string {
  const width = (spans: readonly Span[]) =>
    displayWidth(terminalText(spans.map((span) => (typeof span === 'string' ? span : span[1])).join('')));
  const gap = columns - width(left) - width(right);
  return gap < 2 ? formatRow(left, columns, paint) : formatRow([...left, ' '.repeat(gap), ...right], columns, paint);
}
