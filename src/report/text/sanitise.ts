/** Makes untrusted text harmless for the place that shows it: terminal, HTML or XML. */
// Kept in HTML, where emoji and Indic or Persian text need them; dropped on terminals, which differ on their width.
const JOINERS = /\u00ad|\u200c|\u200d|\p{Variation_Selector}/gu;
// Bidi controls, tags, fillers and the like reorder or hide text, so they are replaced visibly.
const DECEPTIVE = /(?![\u00ad\u200c\u200d])[\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}\u115f\u1160\u3164\uffa0]/gu;
const CONTROL = /[^\P{Cc}\n\t]/gu;
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Maps a control character to its Unicode picture, so that it does nothing and is not hidden. */
function toControlPicture(control: string): string {
  const code = control.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

/** Returns well-formed text without control and deceptive characters, except line feeds and tabs. */
export function neutraliseText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(CONTROL, toControlPicture)
    .replace(DECEPTIVE, '\ufffd')
    .replace(STACKED_MARKS, '$1');
}

/** Returns one line for a terminal: no escape sequence, line break, or character of unclear width. */
export function terminalText(text: string): string {
  // Nearly all lines: the patterns below take a hundred times as long.
  if (/^[ -~]*$/.test(text)) return text;
  return neutraliseText(text)
    .replace(JOINERS, '')
    .replace(/[\n\t]+/g, ' ');
}

/** Splits a text into lines, each safe for a terminal. */
export function terminalLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => terminalText(line.replaceAll('\t', '  ')));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Escapes text for HTML content and for quoted attributes. */
export function htmlText(text: string): string {
  return neutraliseText(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}

/** Escapes text for XML 1.0 content and quoted attributes; characters that XML forbids are dropped. */
export function xmlText(text: string): string {
  const legal = text
    .toWellFormed()
    .replace(/[^\P{Cc}\n\t\r]/gu, '')
    .replace(/[\ufffe\uffff]/g, '');
  return htmlText(legal);
}

/** Clips at `limit` characters without splitting a pair, and states the full length (S3.9). */
export function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')} … (${text.length} characters)`;
}

/** Quotes one word of a shell command that is shown for copying. */
export function shellQuote(word: string): string {
  return /^[\w./:@<>-]+$/.test(word) ? word : `'${word.replace(/[^\P{C}]/gu, '').replaceAll("'", String.raw`'\''`)}'`;
}
