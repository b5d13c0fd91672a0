/** Measures text in terminal columns, and cuts, pads and wraps by that measure. */

// East Asian wide and fullwidth blocks; emoji come from the engine. A width too large is safe, one too small is not.
const WIDE =
  /[\u1100-\u115f\u231a\u231b\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const MARK = /[\p{Mn}\p{Me}]/u;

function characterWidth(character: string): number {
  if (character >= ' ' && character <= '~') return 1;
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Counts the columns of a text without control characters (see `terminalText`). */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Returns the longest beginning that fits, in whole characters. */
function takeFitting(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Returns the text if it fits, else its beginning and an ellipsis. */
export function truncateText(text: string, columns: number): string {
  if (columns <= 0) return '';
  return displayWidth(text) <= columns ? text : `${takeFitting(text, columns - 1)}…`;
}

/** Pads with spaces to the given width; a longer text stays as it is. */
export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/** Between two characters of which one is wide; no line begins with a closing mark or ends with an opening one. */
const WIDE_BREAK = new RegExp(
  String.raw`(?:(?<=${WIDE.source})(?=.)|(?<=.)(?=${WIDE.source}))(?<![\p{Ps}\p{Pi}])(?![\p{Pe}\p{Pf}\p{Po}])`,
  'u',
);

/** Wraps into lines of at most `columns` between words and between wide characters; a word that is too long is split. */
export function wrapText(text: string, columns: number): string[] {
  const room = Math.max(2, columns);
  const lines: string[] = [];
  let line = '';
  for (const [at, word] of text.split(' ').entries()) {
    for (const [part, piece] of word.split(WIDE_BREAK).entries()) {
      const longer = at === 0 || part > 0 || line === '' ? `${line}${piece}` : `${line} ${piece}`;
      if (displayWidth(longer) <= room) {
        line = longer;
        continue;
      }
      const [first = '', ...others] = splitByWidth(piece, room);
      if (line !== '') lines.push(line);
      lines.push(...[first, ...others].slice(0, -1));
      line = others.at(-1) ?? first;
    }
  }
  return [...lines, line];
}

/** Splits a word into pieces that fit; every piece holds at least one character. */
export function splitByWidth(word: string, columns: number): string[] {
  const parts: string[] = [];
  let part = '';
  let width = 0;
  for (const character of word) {
    const wider = width + characterWidth(character);
    const full = part !== '' && wider > columns;
    if (full) parts.push(part);
    part = full ? character : part + character;
    width = full ? characterWidth(character) : wider;
  }
  return [...parts, part];
}

/** Aligns the cells of rows in columns, two spaces apart; the first row is the header. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_name, at) => Math.max(...rows.map((cells) => displayWidth(cells[at] ?? ''))));
  return rows.map((cells) =>
    cells
      .map((cell, at) => padEnd(cell, widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
