/** A terminal page written row by row: one width, one way to colour, and only harmless text. */
import { formatRow, type Paint, type Span, type Style } from '../text/terminal-colors.ts';
import { terminalLines } from '../text/sanitise.ts';
import { wrapText } from '../text/width.ts';

/** Writes rows of one width and colour; every text passed to it may come from a model. */
export type Screen = {
  paint: Paint;
  columns: number;
  heading(title: string, aside?: Span): string;
  text(text: string, indent?: number, style?: Style): string[];
  item(mark: Span, text: string): string[];
};

export function createScreen(columns: number, paint: Paint): Screen {
  const lines = (text: string, indent: number) =>
    terminalLines(text).flatMap((line) => wrapText(line, columns - indent));
  const styled = (style: Style | undefined, text: string): Span => (style === undefined ? text : [style, text]);
  return {
    paint,
    columns,
    heading: (title, aside) =>
      formatRow([['bold', title], ...(aside === undefined ? [] : ['  ', aside])], columns, paint),
    text: (text, indent = 0, style) =>
      lines(text, indent).map((line) => formatRow([' '.repeat(indent), styled(style, line)], columns, paint)),
    item: (mark, text) => {
      const indent = (typeof mark === 'string' ? mark : mark[1]).length;
      return lines(text, indent).map((line, index) =>
        formatRow([index === 0 ? mark : ' '.repeat(indent), line], columns, paint),
      );
    },
  };
}
