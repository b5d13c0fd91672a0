/** A picture of a terminal: lines with colour codes go in, one self-contained SVG comes out. */
import { htmlText, terminalText } from '../src/report/text/sanitise.ts';
import { displayWidth } from '../src/report/text/width.ts';

const CELL = 8.4;
const LINE = 20;
const MARGIN = 20;
const BAR = 40;
const FONT = "ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace";

/** Foreground colours on the dark window; every one has a contrast of at least 4.5 to it. */
const COLORS: Readonly<Record<number, string>> = {
  30: '#8b949e',
  31: '#ff7b72',
  32: '#56d364',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#56d4dd',
  37: '#e6edf3',
};
const PLAIN = '#e6edf3';
const DIM = '#9aa4af';
const WINDOW = '#0d1117';

type Pen = { color: string; bold: boolean; dim: boolean; inverse: boolean };
type Run = { text: string; pen: Pen };
const START: Pen = { color: PLAIN, bold: false, dim: false, inverse: false };

export function renderTerminalSvg(lines: readonly string[], title: string): string {
  const rows = lines.map(runsOf);
  const columns = Math.max(40, ...rows.map((runs) => displayWidth(runs.map(({ text }) => text).join(''))));
  const width = Math.ceil(columns * CELL) + 2 * MARGIN;
  const height = BAR + rows.length * LINE + MARGIN;
  const name = htmlText(terminalText(title));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${name}">`,
    `<title>${name}</title>`,
    `<rect width="${width}" height="${height}" rx="10" fill="${WINDOW}" stroke="#30363d"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, index) => `<circle cx="${20 + index * 20}" cy="20" r="6" fill="${fill}"/>`,
    ),
    `<text x="${width / 2}" y="24" fill="#8b949e" font-family="${FONT}" font-size="13" text-anchor="middle">${name}</text>`,
    `<g font-family="${FONT}" font-size="14">`,
    ...rows.flatMap((runs, index) => rowSvg(runs, BAR + index * LINE)),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** The pieces of a line between its colour codes; every other escape is shown as text, never acted on. */
function runsOf(line: string): Run[] {
  const runs: Run[] = [];
  let pen = START;
  let from = 0;
  const add = (text: string) => (text === '' ? undefined : runs.push({ text: terminalText(text), pen }));
  for (const match of line.matchAll(SGR)) {
    add(line.slice(from, match.index));
    pen = (match[1] ?? '').split(';').map(Number).reduce(turned, pen);
    from = match.index + match[0].length;
  }
  add(line.slice(from));
  return runs;
}

const SGR = new RegExp(`${String.fromCodePoint(0x1b)}\\[([0-9;]*)m`, 'g');

function turned(pen: Pen, code: number): Pen {
  if (code === 0) return START;
  if (code === 1) return { ...pen, bold: true };
  if (code === 2) return { ...pen, dim: true };
  if (code === 7) return { ...pen, inverse: true };
  if (code === 22) return { ...pen, bold: false, dim: false };
  if (code === 27) return { ...pen, inverse: false };
  if (code === 39) return { ...pen, color: PLAIN };
  const color = COLORS[code >= 90 && code <= 97 ? code - 60 : code];
  return color === undefined ? pen : { ...pen, color };
}

function rowSvg(runs: readonly Run[], top: number): string[] {
  let column = 0;
  return runs.flatMap(({ text, pen }) => {
    const cells = displayWidth(text);
    const start = column;
    column += cells;
    const behind = pen.inverse
      ? [`<rect x="${x(start)}" y="${top}" width="${x(cells, 0)}" height="${LINE}" fill="${pen.color}"/>`]
      : [];
    const letters = text.trim();
    if (letters === '') return behind;
    const first = start + displayWidth(text.slice(0, text.indexOf(letters)));
    return [...behind, letterSvg(letters, pen, { left: x(first), top })];
  });
}

const x = (column: number, from = MARGIN) => (from + column * CELL).toFixed(1);

function letterSvg(letters: string, pen: Pen, { left, top }: { left: string; top: number }): string {
  const color = pen.dim && pen.color === PLAIN ? DIM : pen.color;
  const weight = pen.bold ? ' font-weight="700"' : '';
  // textLength keeps the columns in line in every font; plain spaces would be folded.
  const length = `textLength="${x(displayWidth(letters), 0)}" lengthAdjust="spacingAndGlyphs"`;
  const text = htmlText(letters).replaceAll(' ', '\u00a0');
  return `<text x="${left}" y="${top + 14.5}" fill="${pen.inverse ? WINDOW : color}"${weight} ${length}>${text}</text>`;
}
