/** The whole text difference of a design on a terminal: nothing is cut away, long lines go on below. */
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { createPaint, row, type Style, type TerminalSize } from '../text/terminal-colors.ts';
import { terminalText } from '../text/sanitise.ts';
import { pieces } from '../text/width.ts';

export function renderDiffTerminal(pack: ReviewPack, { columns, color }: TerminalSize): string[] {
  const width = Math.max(1, Math.floor(columns) || 1);
  const paint = createPaint(color);
  const diff = pack.since.diff.replace(/\n$/, '');
  if (diff === '') return pieces(`No difference to show; the design is in ${terminalText(pack.designDir)}.`, width);
  // Split on the line feed alone: a carriage return that was added must be seen.
  return diff.split('\n').flatMap((line) => {
    const style = styleOf(line);
    const parts = pieces(terminalText(line.replaceAll('\t', '  ')), width);
    return parts.map((part) => row([style === undefined ? part : [style, part]], width, paint));
  });
}

function styleOf(line: string): Style | undefined {
  if (/^(---|\+\+\+|diff |Index: |={5})/.test(line)) return 'bold';
  if (line.startsWith('@@')) return 'accent';
  if (line.startsWith('+')) return 'good';
  return line.startsWith('-') ? 'bad' : undefined;
}
