/** Where a rule's quote is in its sources, word for word: line breaks, emphasis and the marks of a PDF do not count. */

export type SourceText = { readonly path: string; readonly text: string };
export type FoundQuote = { file: string; line: number };

/** Shorter quotes prove nothing: they are somewhere in every text. */
const LEAST_WORDS = 3;

/** Chinese and Japanese have no spaces: each character is a word here, and two of them say as much as a word. */
const CHARACTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const OWN_WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。，；：！？、]/gu;
/** A quote may end before the sentence does, and with a full stop all the same. */
const STOPS = /(?<=.)[.,;:!?…)"'”’»。，；：！？、\s]+$/u;

/** `named` is the rule's `source`; sources that it names are looked at first. */
export function findQuote(quote: string, named: string, sources: readonly SourceText[]): FoundQuote | undefined {
  const wanted = wordsOf(quote.replace(STOPS, '')).map(({ word }) => word);
  const size = wanted.reduce((sum, word) => sum + (CHARACTER.test(word) ? 0.5 : 1), 0);
  if (size < LEAST_WORDS) return undefined;
  const ordered = sources.toSorted(
    (one, other) => Number(named.includes(other.path)) - Number(named.includes(one.path)),
  );
  for (const source of ordered) {
    const found = firstOf(wanted, wordsOfSource(source));
    if (found !== undefined) return { file: source.path, line: found.line };
  }
  return undefined;
}

type Word = { word: string; line: number };

/** Every rule is looked for in every source. */
const WORDS = new WeakMap<SourceText, readonly Word[]>();

function wordsOfSource(source: SourceText): readonly Word[] {
  const known = WORDS.get(source) ?? wordsOf(source.text);
  WORDS.set(source, known);
  return known;
}

function firstOf(wanted: readonly string[], words: readonly Word[]): Word | undefined {
  const last = wanted.length - 1;
  return words.find((_, start) =>
    wanted.every((word, index) => {
      const there = words[start + index]?.word;
      return isSame(there, word) || (index === last && isSame(there?.replace(STOPS, ''), word));
    }),
  );
}

/** Divides the halves of a word that a line break has cut in two; whether its hyphen is the word's own, nobody can see. */
const SEAM = '\u0000';

function isSame(word: string | undefined, wanted: string): boolean {
  return word?.includes(SEAM) ? ['', '-'].some((hyphen) => word.replace(SEAM, hyphen) === wanted) : word === wanted;
}

function wordsOf(text: string): Word[] {
  return asTyped(text)
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

/** Without what a PDF or an office program puts into a copy: ligatures, soft hyphens, cut words, curly quotes. Lines stay. */
function asTyped(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\uFB00-\uFB06]/g, (ligature) => ligature.normalize('NFKC'))
    .replaceAll(/(\p{L})[-\u00AD\u2010](\r?\n)[ \t]*(\p{Ll}\S*)/gu, `$1${SEAM}$3$2`)
    .replaceAll(/[\u00AD\u200B-\u200D\u2060]/g, '')
    .replaceAll(/[\u2018-\u201B]/g, "'")
    .replaceAll(/[\u201C-\u201F]/g, '"')
    .replaceAll(/[\u2010-\u2015]/g, '-');
}
