/** Text for an editable field: characters that are invisible or would not survive it become marks like ⟦U+200F⟧. */
import { neutraliseText } from './sanitise.ts';

/** The mark's own bracket is encoded too, so that no text can be mistaken for a mark. */
const MARKED = /⟦U\+([0-9A-F]{4,6})⟧/g;
/** Pages drop a fifth combining mark over one letter; every other character is checked by itself. */
const PIECES = /((?<=\p{M}{4})\p{M})|[^\n\t]/gu;

/** Drops the carriage returns of a file whose lines all end with CR LF; any other one becomes a mark. */
export function encodeField(text: string): string {
  const lines = endsWithCrLf(text) ? text.replaceAll('\r\n', '\n') : text;
  return lines.replace(PIECES, (one, stacked: string | undefined) =>
    stacked !== undefined || one === '⟦' || neutraliseText(one) !== one ? formatMark(one) : one,
  );
}

/** `before` is the text that the field was made from: its line endings are restored. */
export function decodeField(field: string, before: string): string {
  const lines = field.replaceAll('\r\n', '\n');
  const text = endsWithCrLf(before) ? lines.replaceAll('\n', '\r\n') : lines;
  return text.replace(MARKED, (whole, code: string) => {
    const point = Number.parseInt(code, 16);
    return point > 0x10_ffff ? whole : String.fromCodePoint(point);
  });
}

function formatMark(character: string): string {
  return `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`;
}

function endsWithCrLf(text: string): boolean {
  return text.includes('\r\n') && !/\r(?!\n)|(?<!\r)\n/.test(text);
}
