/** Texts in the index: limits, lower-case words (pairs of characters in scripts without spaces), and snippets. */
import type { MemoryItem } from '../../ports/memory.ts';

/** The number of characters of an item that are indexed; the transcript contains the rest. */
export const ITEM_CHARS = 20_000;
const MOST_FOUND = 200;

export function boundedLimit(limit: number): number {
  return Number.isFinite(limit) ? Math.min(MOST_FOUND, Math.max(0, Math.floor(limit))) : MOST_FOUND;
}

export function getItemKey({ run, agent, entry }: Pick<MemoryItem, 'run' | 'agent' | 'entry'>): string {
  return JSON.stringify([run, agent, entry]);
}

/** Scripts that do not separate words by spaces. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORDS = /[\p{L}\p{N}]+/gu;
/** The longest word that is indexed. */
const LONGEST_WORD = 64;

/** Returns the terms in the order of the text. */
export function extractTerms(text: string, mostChars: number): string[] {
  const plain = text
    .slice(0, mostChars)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  return [...plain.matchAll(WORDS)].flatMap(([word]) => [...splitWord(word)]);
}

/** `refund退款到卡` -> refund, 退款, 款到, 到卡, 卡: the last character alone lets a single character be found as a prefix. */
function* splitWord(word: string): Generator<string> {
  let spaced = '';
  const signs = Array.from(word);
  for (const [place, sign] of signs.entries()) {
    if (!UNSPACED.test(sign)) {
      spaced += sign;
      continue;
    }
    if (spaced !== '') yield spaced.slice(0, LONGEST_WORD);
    spaced = '';
    const next = signs[place + 1];
    yield next !== undefined && UNSPACED.test(next) ? `${sign}${next}` : sign;
  }
  if (spaced !== '') yield spaced.slice(0, LONGEST_WORD);
}

/** A longer query is a whole document, of which the beginning is enough. */
const QUERY_CHARS = 4000;
const QUERY_TERMS = 48;

export type Term = { term: string; prefix: boolean };

/** Returns each word once. The last character of a run of pairs counts only when it is alone. */
export function queryTerms(text: string): Term[] {
  const terms = extractTerms(text, QUERY_CHARS).filter((term, place, all) => !endsRun(term, all[place - 1]));
  const distinct = [...new Set(terms)].slice(0, QUERY_TERMS);
  return distinct.map((term) => ({ term, prefix: Array.from(term).length === 1 && UNSPACED.test(term) }));
}

/** A single last character adds nothing to the pair before it. */
function endsRun(term: string, before: string | undefined): boolean {
  const [first, second] = Array.from(before ?? '');
  return second !== undefined && second === term && UNSPACED.test(term) && first !== undefined && UNSPACED.test(first);
}

const BEFORE = 60;
const LENGTH = 240;

/** Returns one line around the first search word, or the beginning when folded accents hide its position. */
export function createSnippet(text: string, terms: readonly Term[]): string {
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
