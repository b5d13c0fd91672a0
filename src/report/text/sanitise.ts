/** Text that others wrote, made harmless for the place that shows it: terminal, HTML or XML. */
// Retained in HTML, where emoji and Indic or Persian text need them; dropped on terminals, which disagree about their width.
const JOINERS = /\u00ad|\u200c|\u200d|\p{Variation_Selector}/gu;
// Bidi controls, tags, fillers and the like: they reorder or hide text, so a reader must see that one was there.
const DECEPTIVE = /(?![\u00ad\u200c\u200d])[\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}\u115f\u1160\u3164\uffa0]/gu;
const CONTROL = /[^\P{Cc}\n\t]/gu;
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** A control character as the picture that Unicode has for it, so that nothing acts on it and nothing is hidden. */
function picture(control: string): string {
  const code = control.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

/** Well-formed text in which only line feeds and tabs are left of all control and deceptive characters. */
export function neutralise(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(CONTROL, picture)
    .replace(DECEPTIVE, '\ufffd')
    .replace(STACKED_MARKS, '$1');
}

/** One line for a terminal: it holds no escape sequence, no line break and no character of unclear width. */
export function terminalText(text: string): string {
  return neutralise(text)
    .replace(JOINERS, '')
    .replace(/[\n\t]+/g, ' ');
}

/** The lines of a text, each safe for a terminal. */
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

/** Safe as HTML text and inside a quoted attribute. */
export function htmlText(text: string): string {
  return neutralise(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}

/** Safe as XML 1.0 text and inside a quoted attribute; characters that XML forbids are dropped. */
export function xmlText(text: string): string {
  const legal = text
    .toWellFormed()
    .replace(/[^\P{Cc}\n\t\r]/gu, '')
    .replace(/[\ufffe\uffff]/g, '');
  return htmlText(legal);
}

/** At most `limit` characters, never half of a pair; a notice states the size of the cut (S3.9). */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')} … (${text.length} characters)`;
}

/** One word of a command line that is there to be copied. */
export function shellQuote(word: string): string {
  return /^[\w./:@<>-]+$/.test(word) ? word : `'${word.replace(/[^\P{C}]/gu, '').replaceAll("'", String.raw`'\''`)}'`;
}
