/** Rows of a terminal screen: plain spans go in, cleaned, cut and coloured text comes out. */
import { terminalText } from './sanitise.ts';
import { displayWidth, truncate } from './width.ts';

const CODES = {
  bold: '1',
  dim: '2',
  good: '32',
  bad: '31',
  warn: '33',
  accent: '36',
  design: '35',
  loud: '1;7;33',
} as const;
export type Style = keyof typeof CODES;

/** What a renderer knows of the screen. */
export type TerminalSize = { columns: number; color: boolean };

/** Colours a text, or leaves it alone. */
export type Paint = (style: Style, text: string) => string;

export function createPaint(color: boolean): Paint {
  return color
    ? (style, text) => (text === '' ? '' : `\u001b[${CODES[style]}m${text}\u001b[0m`)
    : (_style, text) => text;
}

/** A piece of a row. Its text may come from anyone: it is cleaned here, so that no renderer can forget to. */
export type Span = string | readonly [style: Style, text: string];

/** One row, never wider than `columns`. */
export function row(spans: readonly Span[], columns: number, paint: Paint): string {
  const whole = spans.map((span) => terminalText(typeof span === 'string' ? span : span[1]));
  const fits = displayWidth(whole.join('')) <= columns;
  let left = columns;
  return spans
    .map((span, index) => {
      const text = fits ? (whole[index] ?? '') : cut(whole, index, left);
      left -= displayWidth(text);
      return typeof span === 'string' ? text : paint(span[0], text);
    })
    .join('');
}

/** The span's share of a row that is too long: the row ends in an ellipsis, even between two spans. */
function cut(texts: readonly string[], index: number, left: number): string {
  const text = texts[index] ?? '';
  const more = texts.slice(index + 1).some((later) => later !== '');
  if (left <= 0 || text === '') return '';
  return more && displayWidth(text) >= left ? truncate(`${text}…`, left) : truncate(text, left);
}

/** A row with a part at the right edge; the right part is left out when there is no space for both. */
export function justified(
  { left, right }: { left: readonly Span[]; right: readonly Span[] },
  columns: number,
  paint: Paint,
): string {
  const width = (spans: readonly Span[]) =>
    displayWidth(terminalText(spans.map((span) => (typeof span === 'string' ? span : span[1])).join('')));
  const gap = columns - width(left) - width(right);
  return gap < 2 ? row(left, columns, paint) : row([...left, ' '.repeat(gap), ...right], columns, paint);
}
