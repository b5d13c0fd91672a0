/** Styles Markdown while it arrives, as far as one line allows; the text is harmless and never held back for long. */
import { createPaint, type Paint } from '../../report/text/terminal-colors.ts';
import { terminalText } from '../../report/text/sanitise.ts';

export type MarkdownStream = {
  /** Returns the text to draw now for this piece. */
  feed: (piece: string) => string;
  /** Returns the text that was held back. */
  end: () => string;
};

/** Characters whose meaning depends on what follows them. */
const OPEN_END = /(?:^[#`>\-*\d. ]{0,5}|[*`]{1,2})$/;

/** Without colours the text is drawn as written. */
export function createMarkdownStream(color: boolean): MarkdownStream {
  const paint = createPaint(color);
  let [line, drawn, inFence] = ['', 0, false];

  /** Returns the new part of an unfinished line. A style needs its end, so text after an open mark is held back. */
  const more = (isWhole: boolean): string => {
    const safe = terminalText(line.replaceAll('\t', '  '));
    const until = isWhole || !color ? safe.length : countDrawable(safe, inFence);
    if (until <= drawn) return '';
    const text = safe.slice(drawn, until);
    const styled = color ? styleMarkdown(text, { paint, inFence, line: safe, isFirst: drawn === 0 }) : text;
    drawn = until;
    return styled;
  };
  return {
    feed: (piece) => {
      let out = '';
      for (const part of piece.replaceAll('\r', '').split(/(\n)/)) {
        if (part !== '\n') line += part;
        else {
          out += `${more(true)}\n`;
          if (line.trimStart().startsWith('```')) inFence = !inFence;
          [line, drawn] = ['', 0];
        }
        if (part !== '\n') out += more(false);
      }
      return out;
    },
    end: () => {
      const rest = more(true);
      [line, drawn, inFence] = ['', 0, false];
      return rest;
    },
  };
}

/** Counts the characters of an unfinished line that can be drawn, up to a mark that is still open. */
function countDrawable(line: string, inFence: boolean): number {
  if (/^\s*(?:#|`{1,3}$)/.test(line)) return 0;
  if (inFence) return line.length;
  const openEnd = OPEN_END.exec(line);
  const marks = [...line.matchAll(/\*\*|`/g)];
  const isOpen = marks.length % 2 === 1;
  const from = isOpen ? (marks.at(-1)?.index ?? line.length) : line.length;
  return Math.min(from, openEnd === null ? line.length : openEnd.index);
}

type MarkdownPart = { paint: Paint; inFence: boolean; line: string; isFirst: boolean };

function styleMarkdown(text: string, { paint, inFence, line, isFirst }: MarkdownPart): string {
  if (inFence || line.trimStart().startsWith('```')) return paint('dim', text);
  if (/^#{1,6} /.test(line)) return paint('bold', text.replace(/^#{1,6} /, ''));
  const bullets = isFirst ? text.replace(/^(\s*)[-*] /, '$1• ') : text;
  return bullets
    .replace(/\*\*([^*]+)\*\*/g, (_all, bold: string) => paint('bold', bold))
    .replace(/`([^`]+)`/g, (_all, code: string) => paint('accent', code));
}
