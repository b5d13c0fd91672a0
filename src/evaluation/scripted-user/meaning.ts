/** Reads the meaning of a text as a set of concepts: word forms and synonyms are merged, small words dropped. */
import { rememberTexts } from '../../scenario/language/remember-texts.ts';
import { listWords } from '../../scenario/language/split-text.ts';
import { areWordForms } from '../../scenario/language/word-forms.ts';
import { GRAMMAR, isSmallWord, LANGUAGES } from './languages.ts';

/** The concepts that languages share; the first word of each names it. */
const SYNONYMS = (['agree', 'price'] as const).map((name) => [
  name,
  ...LANGUAGES.flatMap(({ synonyms }) => synonyms[name]),
]);

const NEGATION = new RegExp(GRAMMAR.negates, 'giu');

export const countNegations = (text: string): number => text.match(NEGATION)?.length ?? 0;

/** Two words that negate take each other away: "without the number I cannot go on". */
export const isNegated = (text: string): boolean => countNegations(text) % 2 === 1;

export type Meaning = ReadonlySet<string>;

export const readMeaning = rememberTexts(
  (text): Meaning =>
    new Set(
      listWords(text)
        .filter((word) => !isSmallWord(word))
        .map(toConcept),
    ),
);

/** The first word of the line of synonyms in which a form of the word stands, else the word. */
const toConcept = rememberTexts((word) => {
  const root = stemWord(word);
  return SYNONYMS.find((line) => line.some((one) => areWordForms(one, root)))?.[0] ?? root;
});

/** Cuts the endings of English that are longer than those by which forms of one word differ. */
function stemWord(word: string): string {
  return word
    .replace(/(?<=\p{L}{4})(?:ations?|ings?|ments?)$/u, '')
    .replace(/(?<=\p{L}{4})(?<last>[^s])\k<last>$/u, '$1');
}
