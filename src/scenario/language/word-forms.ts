/** Compares texts by the forms of their words, and knows which texts cannot be compared so. */
import { isUnspaced, listWords } from './split-text.ts';

/** Scripts whose words are set apart and change at their ends, which is all that the comparison knows of grammar. */
const COMPARABLE = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}]/gu;
/** The share of a text's letters that may be of other scripts, such as a name. */
const MOST_OTHER = 0.1;

const isMostly = (text: string, script: RegExp): boolean => {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters - (text.match(script)?.length ?? 0) <= letters * MOST_OTHER;
};

/** True when nearly all letters are of scripts whose word forms can be compared. */
export const canCompareWords = (text: string): boolean => isMostly(text, COMPARABLE);

/** What texts are compared by: their words, or each two signs of Chinese, which sets no words apart; undefined in other scripts. */
export function listComparable(text: string): { by: 'words' | 'signs'; parts: string[] } | undefined {
  if (canCompareWords(text))
    return { by: 'words', parts: [...new Set(significantWords(text).filter((word) => !/\p{N}/u.test(word)))] };
  const pairs = [...text.matchAll(/(\p{Script=Han})(?=(\p{Script=Han}))/gu)].map(([, one, next]) => `${one}${next}`);
  return isMostly(text, /\p{Script=Han}/gu) ? { by: 'signs', parts: [...new Set(pairs)] } : undefined;
}

const FILLERS = new Set(
  'about above after also always among been before being both cannot does each every from have having into less more most must never none only other over shall should some such than that their them then there these they this those under unless until upon were what when where which while will with within without would your'.split(
    ' ',
  ),
);

/** Lists folded words of four letters or more (any length in other scripts), without filler words. */
export function significantWords(text: string): string[] {
  return listWords(text).filter((word) => (word.length >= 4 || /\P{ASCII}/u.test(word)) && !FILLERS.has(word));
}

const HANGUL = /^\p{Script=Hangul}+$/u;
/** A particle of Korean has one or two letters, and each of these is a syllable. */
const isStem = (stem: string, word: string): boolean =>
  stem.length > 1 && word.startsWith(stem) && word.length - stem.length <= 2;

const PREFIXING = /^[\p{Script=Arabic}\p{Script=Hebrew}\p{M}]+$/u;
/** Articles and prepositions of one to three letters are written with the word after them. */
const isPrefixed = (stem: string, word: string): boolean =>
  stem.length > 2 && word.endsWith(stem) && word.length - stem.length <= 3;

/** Recognises forms of one word by a common beginning, such as "book" and "booked", "issue" and "issuing". */
export function areWordForms(one: string, other: string): boolean {
  if (one === other) return true;
  const shared = Math.max(4, Math.min(one.length, other.length) - 1);
  const isBegun = Math.abs(one.length - other.length) <= MOST_ENDING && beginAlike(one, other, shared);
  const isStemmed = isStem(one, other) || isStem(other, one);
  const isJoined = isPrefixed(one, other) || isPrefixed(other, one);
  // Nearly all pairs have nothing in common, which is known before the scripts of their letters are.
  if ((!isBegun && !isStemmed && !isJoined) || hasNoForms(one)) return false;
  return HANGUL.test(one) ? isStemmed : isBegun || (isJoined && PREFIXING.test(one));
}

/** Recognises words that begin alike and end otherwise, in languages that add ending to ending: a guess, for one choice among few. */
export function shareStem(one: string, other: string): boolean {
  // Nearly all pairs begin and end otherwise, and are asked about by the million.
  if (one[0] !== other[0] && one.at(-1) !== other.at(-1)) return false;
  const shared = Math.max(4, Math.ceil((2 / 3) * Math.min(one.length, other.length)));
  return areWordForms(one, other) || (one.length >= shared && beginAlike(one, other, shared) && !hasNoForms(one));
}

const MOST_ENDING = 3;
const beginAlike = (one: string, other: string, most: number) => one.slice(0, most) === other.slice(0, most);
const hasNoForms = (word: string): boolean => isUnspaced(word) || /\p{N}/u.test(word);

/** True when each of the words shares its stem with one of the others. */
export const shareStems = (words: readonly string[], others: readonly string[]): boolean =>
  words.every((word) => others.some((other) => shareStem(word, other)));
