/** Finds a rule's quote in its sources word for word, ignoring line breaks, emphasis and artefacts of PDF copies. */
import { getOrCreate } from '../../get-or-create.ts';
import { foldCharacters } from '../../scenario/language/fold-text.ts';

export type SourceText = { readonly path: string; readonly text: string };
export type FoundQuote = { file: string; line: number };

/** The fewest words of a quote that counts; a shorter one is found in nearly every text. */
export const LEAST_WORDS = 3;

/** Characters of Chinese and Japanese, which have no spaces: each is a word here, and two of them count as one. */
const CHARACTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const OWN_WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。，；：！？、]/gu;
/** Punctuation at the end of a quote, which may stop before the end of the sentence in the source. */
const STOPS = /(?<=.)[.,;:!?…)"'”’»。，；：！？、\s]+$/u;

/** Finds a quote; `named` is the rule's `source`, and the sources that it names are searched first. */
export function findQuote(quote: string, named: string, sources: readonly SourceText[]): FoundQuote | undefined {
  const wanted = locateWords(quote.replace(STOPS, '')).map(({ word }) => word);
  const size = wanted.reduce((sum, word) => sum + (CHARACTER.test(word) ? 0.5 : 1), 0);
  if (size < LEAST_WORDS) return undefined;
  const ordered = sources.toSorted(
    (one, other) => Number(named.includes(other.path)) - Number(named.includes(one.path)),
  );
  for (const source of ordered) {
    const found = findFirstMatch(wanted, wordsOfSource(source));
    if (found !== undefined) return { file: source.path, line: found.line };
  }
  return undefined;
}

type LocatedWord = { word: string; line: number };

/** Caches the words of each source, because every rule is searched for in every source. */
const WORDS = new WeakMap<SourceText, readonly LocatedWord[]>();

function wordsOfSource(source: SourceText): readonly LocatedWord[] {
  return getOrCreate(WORDS, source, () => locateWords(source.text));
}

function findFirstMatch(wanted: readonly string[], words: readonly LocatedWord[]): LocatedWord | undefined {
  const last = wanted.length - 1;
  return words.find((_, start) =>
    wanted.every((word, index) => {
      const there = words[start + index]?.word;
      return isSame(there, word) || (index === last && isSame(there?.replace(STOPS, ''), word));
    }),
  );
}

/** Marks where a line break has cut a word in two; the hyphen may or may not belong to the word. */
const SEAM = '\u0000';

function isSame(word: string | undefined, wanted: string): boolean {
  return word?.includes(SEAM) ? ['', '-'].some((hyphen) => word.replace(SEAM, hyphen) === wanted) : word === wanted;
}

function locateWords(text: string): LocatedWord[] {
  return removeCopyMarks(text)
    .split('\n')
    .flatMap((line, index) =>
      line
        .replaceAll(/[*_`]/g, '')
        .replaceAll(OWN_WORDS, ' $& ')
        .split(/\s+/)
        .filter((word) => word !== '' && word !== '-')
        .map((word) => ({ word, line: index + 1 })),
    );
}

/** Joins words that a line break has cut, and folds what PDF and office copies write in another way; line breaks stay. */
function removeCopyMarks(text: string): string {
  const cutWord = /(\p{L})[-\u00AD\u2010](\r?\n)[ \t]*(\p{Ll}\S*)/gu;
  return foldCharacters(text.normalize('NFC').replaceAll(cutWord, `$1${SEAM}$3$2`));
}
