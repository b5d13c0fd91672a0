/** One line of a text, around the first word that was looked for. */
import type { Term } from './terms.ts';

const BEFORE = 60;
const LENGTH = 240;

/** Where the words cannot be placed, because accents or letter forms were folded, the text's beginning stands. */
export function snippetOf(text: string, terms: readonly Term[]): string {
  const line = text
    .slice(0, 100_000)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  const lower = line.toLowerCase();
  const places = terms.map(({ term }) => lower.indexOf(term)).filter((place) => place >= 0);
  const from = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - BEFORE);
  const to = from + LENGTH;
  return `${from > 0 ? '…' : ''}${line.slice(from, to).toWellFormed()}${to < line.length ? '…' : ''}`;
}
