/** How the languages that the user by rules reads ask and answer: a file for each, and what all of them together tell. */
import { parse } from 'yaml';
import { z } from 'zod';
import { readOwnText } from '../../own-file.ts';
import { foldCharacters } from '../../scenario/language/fold-text.ts';

const Words = z.array(z.string());
const Pattern = Words.transform((alternatives) => new RegExp(alternatives.join('|'), 'iu'));
const Patterns = Words.transform((list) => list.map((one) => new RegExp(one, 'iu')));
const Synonyms = z.string().transform((line) => line.split(' '));

const Language = z.strictObject({
  /** Whether there is anything else, or whether all is well. */
  more: Pattern,
  /** Question words, and verbs that ask for words: what is asked for is a fact. */
  asksFact: Pattern,
  consent: Pattern,
  /** The consent is to an act of the subject, or is asked for by name. */
  ownAct: Pattern,
  /** A sentence without a question mark that may ask for a yes, or for something to be done. */
  mayAsk: Pattern,
  /** The subject works on and will speak again. */
  hold: Pattern,
  /** The person and the tense of what the subject does next, or a sentence without a person such as "Checking your account." */
  announces: Pattern,
  /** The first one is said; a checker takes the others as well. */
  agreements: Words,
  yes: z.string(),
  no: z.string(),
  /** A question for consent, and a no to something that is about to be done. */
  asks: z.string(),
  refusal: z.string(),
  /** A reply while waiting, which a checker of consent must not take for a yes. */
  waits: z.string(),
  unclear: z.string(),
  /** A reply to a question that goes beyond all that was told. */
  all: z.string(),
  /** `{value}` of `{key}`, when it is the whole answer, and when it is not. */
  alone: z.string(),
  named: z.string(),
  unknown: z.string(),
  saysYes: Pattern,
  saysNo: Pattern,
  /** Words by which a rule demands a question and agreement. */
  ruleOfConsent: Pattern,
  /** A person with an act of the past, one that could not do it, and a passive: `verb` and its `rest`, or the whole sentence. */
  ownActs: Patterns,
  unable: Patterns,
  passives: Patterns,
  /** Words of conditions, offers and plans, and what sets the object of an act apart. */
  plans: Words,
  modal: Words,
  otherThing: Words,
  nothing: Words,
  negates: Words,
  already: Words,
  /** Words of `stops_when` that tell who says it. */
  speaker: Words,
  /** Words that say nothing about what a text is about. */
  smallWords: Words,
  /** From zero to twenty, and then the tens. */
  numbers: Synonyms,
  synonyms: z.strictObject({ agree: Synonyms, price: Synonyms }),
});
export type Language = z.infer<typeof Language>;

const readLanguage = (text: string): Language => Language.parse(parse(text));
const CHINESE = readLanguage(readOwnText('./chinese.yaml', import.meta.url));
const GERMAN = readLanguage(readOwnText('./german.yaml', import.meta.url));
const ENGLISH = readLanguage(readOwnText('./english.yaml', import.meta.url));

export const LANGUAGES: readonly Language[] = [CHINESE, GERMAN, ENGLISH];

type ListName = 'negates' | 'already' | 'speaker' | 'smallWords' | 'plans' | 'modal' | 'otherThing' | 'nothing';

/** Joins what all languages have under one name. */
export const joinWords = (name: ListName): string => `(?:${LANGUAGES.flatMap((one) => one[name]).join('|')})`;

const SMALL_WORD = new RegExp(`^${joinWords('smallWords')}$`, 'iu');

/** True for a word that says nothing about what a text is about. */
export const isSmallWord = (word: string): boolean => SMALL_WORD.test(word);

/** Returns the digits of a number in words. */
export function readNumberWord(word: string): string | undefined {
  const places = LANGUAGES.map(({ numbers }) => numbers.indexOf(word)).filter((place) => place >= 0);
  return places[0] === undefined ? undefined : String(places[0] <= 20 ? places[0] : (places[0] - 18) * 10);
}

const GERMAN_WORD = String.raw`\b(?:${GERMAN.smallWords.join('|')})\b`;
const GERMAN_SIGNS = new RegExp(`${GERMAN_WORD}.*${GERMAN_WORD}`, 'i');
const ENGLISH_SIGNS = /^(?:i'(?:d|m|ve|ll)|\p{L}+n't|want|like|need|hello|am|if|is|it|of|or|we)$/u;

/** Returns the language only where the text shows it. */
export function findLanguage(text: string): Language | undefined {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)) return undefined;
  if (/\p{Script=Han}/u.test(text)) return CHINESE;
  if (GERMAN_SIGNS.test(text) || /\b(?:Sie|Ihnen|Ihre?[nmrs]?)\b/.test(text)) return GERMAN;
  const words =
    foldCharacters(text)
      .toLowerCase()
      .match(/[\p{L}']+/gu) ?? [];
  const shown = new Set(words.filter((word) => ENGLISH_SIGNS.test(word) || (word.length > 2 && isSmallWord(word))))
    .size;
  return shown > 1 || (shown === 1 && words.length < 6) ? ENGLISH : undefined;
}

/** Takes a text that shows no language for English. */
export function detectLanguage(text: string): Language {
  return findLanguage(text) ?? ENGLISH;
}
