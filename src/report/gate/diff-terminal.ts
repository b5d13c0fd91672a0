/** Renders the whole text diff of a design on a terminal: nothing is cut, long lines are wrapped. */
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { createPaint, formatRow, type Style, type TerminalSize } from '../text/terminal-colors.ts';
import { terminalText } from '../text/sanitise.ts';
import { splitByWidth } from '../text/width.ts';

export function renderDiffTerminal(pack: ReviewPack, { columns, color }: TerminalSize): string[] {
  const width = Math.max(1, Math.floor(columns) || 1);
  const paint = createPaint(color);
  const diff = pack.since.diff.replace(/\n$/, '');
  if (diff === '')
    return splitByWidth(`No difference to show; the design is in ${terminalText(pack.designDir)}.`, width);
  // Only the line feed splits lines, so that an added carriage return is visible.
  return diff.split('\n').flatMap((line) => {
    const style = getDiffLineStyle(line);
    const parts = splitByWidth(terminalText(line.replaceAll('\t', '  ')), width);
    return parts.map((part) => formatRow([style === undefined ? part : [style, part]], width, paint));
  });
}

function getDiffLineStyle(line: string): Style | undefined {
  if (/^(---|\+\+\+|diff |Index: |={5})/.test(line)) return 'bold';
  if (line.startsWith('@@')) return 'accent';
  if (line.startsWith('+')) return 'good';
  return line.startsWith('-') ? 'bad' : undefined;
}
