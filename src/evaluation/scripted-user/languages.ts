/** How the languages that the user by rules reads ask and answer: a file for each, and what all of them together tell. */
import { parse } from 'yaml';
import { z } from 'zod';
import { readOwnText } from '../../own-file.ts';
import { parseJson } from '../../parse-json.ts';
import { foldCharacters } from '../../scenario/language/fold-text.ts';
import { rememberTexts } from '../../scenario/language/remember-texts.ts';

const Words = z.array(z.string());
const Pattern = Words.transform((alternatives) => new RegExp(alternatives.join('|'), 'iu'));
const Patterns = Words.transform((list) => list.map((one) => new RegExp(one, 'iu')));
const Synonyms = z.string().transform((line) => line.split(' '));

/** Gives fields of one kind; what each is for stands in the file of English. */
function listFields<const Name extends string, Type extends z.ZodType>(names: readonly Name[], type: Type) {
  return Object.fromEntries(names.map((name) => [name, type])) as Record<Name, Type>;
}

const OWNERS = ['possessors', 'others', 'joins', 'fillers'] as const;
const MARKS = ['conditions', 'inability', 'needs', 'quantities', 'addresses', ...OWNERS] as const;
const CLAIMS = ['plans', 'modal', 'otherThing', 'nothing', 'reported', 'objectEnd', 'besides'] as const;
const LISTS = ['negates', 'already', 'speaker', 'smallWords', ...CLAIMS] as const;
const ASKING = ['more', 'asksFact', 'consent', 'ownAct', 'mayAsk', 'hold', 'announces'] as const;
const SAID = ['yes', 'no', 'asks', 'refusal', 'waits', 'all', 'alone', 'named', 'unknown'] as const;
const UNCLEAR = ['unclear', 'unclearOf', 'comma', 'mark'] as const;

const Language = z.strictObject({
  ...listFields([...ASKING, 'saysYes', 'saysNo', 'ruleOfConsent'], Pattern),
  ...listFields([...MARKS, ...LISTS, 'agreements'], Words),
  ...listFields([...SAID, ...UNCLEAR], z.string()),
  ...listFields(['ownActs', 'unable', 'passives'], Patterns),
  ...listFields(['numbers', 'readingActs'], Synonyms),
  synonyms: z.strictObject({ agree: Synonyms, price: Synonyms }),
});
export type Language = z.infer<typeof Language>;

/** Built, the text is JSON. */
const readLanguage = (text: string): Language => Language.parse(parseJson(text) ?? parse(text));
const CHINESE = readLanguage(readOwnText('./chinese.yaml', import.meta.url));
const GERMAN = readLanguage(readOwnText('./german.yaml', import.meta.url));
const ENGLISH = readLanguage(readOwnText('./english.yaml', import.meta.url));

export const LANGUAGES: readonly Language[] = [CHINESE, GERMAN, ENGLISH];

type Grammar = (typeof LISTS | typeof MARKS)[number];

/** Joins what all languages have under one name. */
const joinWords = (name: Grammar): string => `(?:${LANGUAGES.flatMap((one) => one[name]).join('|')})`;

/** Matches the words of grammar of all languages under their name. */
export const GRAMMAR = Object.fromEntries(
  [...MARKS, ...LISTS].map((name) => [name, new RegExp(joinWords(name), 'iu')]),
) as Record<Grammar, RegExp>;

const SMALL_WORD = new RegExp(`^${joinWords('smallWords')}$`, 'iu');

/** True for a word that says nothing about what a text is about. */
export const isSmallWord = (word: string): boolean => SMALL_WORD.test(word);

const FILLER = new RegExp(`^${joinWords('fillers')}$`, 'iu');

/** True for one that says nothing about what is asked, but may be part of a name, or of another language. */
export const isFiller = (word: string): boolean => isSmallWord(word) || FILLER.test(word);

/** Returns the digits of a number in words. */
export function readNumberWord(word: string): string | undefined {
  const places = LANGUAGES.map(({ numbers }) => numbers.indexOf(word)).filter((place) => place >= 0);
  return places[0] === undefined ? undefined : String(places[0] <= 20 ? places[0] : (places[0] - 18) * 10);
}

const GERMAN_WORD = String.raw`\b(?:${GERMAN.smallWords.join('|')})\b`;
const GERMAN_SIGNS = new RegExp(`${GERMAN_WORD}.*${GERMAN_WORD}`, 'i');
const ENGLISH_SIGNS = /^(?:i'(?:d|m|ve|ll)|\p{L}+n't|want|like|need|hello|am|if|is|it|of|or|we)$/u;

/** Returns the language only where the text shows it. */
export const findLanguage = rememberTexts((text): Language | undefined => {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)) return undefined;
  if (/\p{Script=Han}/u.test(text)) return CHINESE;
  if (GERMAN_SIGNS.test(text) || /\b(?:Sie|Ihnen|Ihre?[nmrs]?)\b/.test(text)) return GERMAN;
  const plain = foldCharacters(text).toLowerCase();
  const words = plain.match(/[\p{L}']+/gu) ?? [];
  const shown = new Set(words.filter((word) => ENGLISH_SIGNS.test(word) || (word.length > 2 && isSmallWord(word))))
    .size;
  return shown > 1 || (shown === 1 && words.length < 6) ? ENGLISH : undefined;
});

/** Takes a text that shows no language for English. */
export function detectLanguage(text: string): Language {
  return findLanguage(text) ?? ENGLISH;
}
