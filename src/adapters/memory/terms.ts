/** The words of a text as the index knows them: small letters, and pairs of characters where a script has no spaces. */

/** Scripts that write their words without spaces between them. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORDS = /[\p{L}\p{N}]+/gu;
/** What is longer is no word that a person would look for. */
const LONGEST_WORD = 64;

/** In the order of the text. */
export function termsOf(text: string, mostChars: number): string[] {
  const plain = text
    .slice(0, mostChars)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  return [...plain.matchAll(WORDS)].flatMap(([word]) => [...partsOf(word)]);
}

/** `refund退款到卡` -> refund, 退款, 款到, 到卡, 卡: the last one alone, so that a single character is found by its beginning. */
function* partsOf(word: string): Generator<string> {
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

/** A query longer than this is a whole document: its beginning says what it is about. */
const QUERY_CHARS = 4000;
const QUERY_TERMS = 48;

export type Term = { term: string; prefix: boolean };

/** Each word once. The last character of a pair's run is only told apart from a word when it stands alone. */
export function queryTerms(text: string): Term[] {
  const terms = termsOf(text, QUERY_CHARS).filter((term, place, all) => !endsRun(term, all[place - 1]));
  const distinct = [...new Set(terms)].slice(0, QUERY_TERMS);
  return distinct.map((term) => ({ term, prefix: Array.from(term).length === 1 && UNSPACED.test(term) }));
}

/** The lone last character says no more than the pair before it. */
function endsRun(term: string, before: string | undefined): boolean {
  const [first, second] = Array.from(before ?? '');
  return second !== undefined && second === term && UNSPACED.test(term) && first !== undefined && UNSPACED.test(first);
}
