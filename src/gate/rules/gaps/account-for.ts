/** Measures how much of what a source says one rule, value or tool of the design has, in any language: rare words weigh most. */
import { longAttribute, toArray, type Cases } from '../../../scenario/cases/cases.ts';
import type { BusinessRule, FormatSpec } from '../../../scenario/design.ts';
import { toPlainWords } from '../../../scenario/language/fold-text.ts';
import { rememberTexts } from '../../../scenario/language/remember-texts.ts';
import { isUnspaced, listWords, splitSentences } from '../../../scenario/language/split-text.ts';
import { shareStem } from '../../../scenario/language/word-forms.ts';
import type { SourceText } from '../find-quote.ts';
import { listParagraphs } from './list-enumerations.ts';

/**
 * `share` is the part of a text that the nearest rule, value or tool has, by the weight of its words; `unknown` are those that no
 * other one has either. All of a large design together has nearly every word.
 */
export type Account = { share: number; unknown: string[] };

export function accountFor(
  { cases, tools }: Pick<FormatSpec, 'tools'> & { cases: Pick<Cases, 'attributes'> },
  rules: readonly BusinessRule[],
  sources: readonly SourceText[],
): (text: string) => Account {
  const own = tools.filter(({ name }) => rules.some(({ applies_to }) => applies_to.includes(name)));
  const texts = [
    ...rules.flatMap(({ title, text, quote = '' }) => [title, text, quote]),
    ...Object.entries(cases.attributes).flatMap(([name, short]) => {
      const { values, means = '' } = longAttribute(short);
      return [name, means, ...toArray<unknown>(values).map(String)];
    }),
    ...own.flatMap(({ name, purpose }) => [name, purpose]),
  ];
  const told = texts.map((text) => listOnce(toPlainWords(text)));
  const sentences = sources.flatMap(({ text }) => splitSentences(text)).map(listStems);
  const places = [...told, ...sentences].flatMap((words, at) => words.map((word) => ({ word, at })));
  const vocabulary = [...Map.groupBy(places, ({ word }) => word)];
  const weighWord = rememberTexts((word) => {
    const isForm = recogniseForms(word);
    const texts = new Set(vocabulary.flatMap(([other, at]) => (isForm(other) ? at : [])).map(({ at }) => at));
    const toldBy = new Set([...texts].filter((at) => at < told.length));
    const often = texts.size - toldBy.size;
    const rarity = Math.max(LEAST_WEIGHT, Math.log((sentences.length + 1) / (often + 0.5)));
    return { toldBy, often, weight: rarity * Math.min(1, word.length / lengthOfWords(word, 6)) };
  });
  const sumWeights = (words: readonly string[]): number =>
    words.reduce((total, word) => total + weighWord(word).weight, 0);
  return (text) => {
    const words = listOnce(text).filter((word) => !/^\d+$/.test(word));
    const toldBy = new Set(words.flatMap((word) => [...weighWord(word).toldBy]));
    const lists = [...toldBy].map((at) => words.filter((word) => !weighWord(word).toldBy.has(at)));
    const [nearest = words] = lists.toSorted((one, other) => sumWeights(one) - sumWeights(other));
    return {
      share: words.length === 0 ? 1 : 1 - sumWeights(nearest) / sumWeights(words),
      unknown: nearest.filter((word) => {
        const { toldBy, often } = weighWord(word);
        return toldBy.size === 0 && word.length >= lengthOfWords(word, often > SELDOM ? 6 : 3);
      }),
    };
  };
}

/** `isStory`: most sentences beside it are told by no rule. */
export type ToldSentence = Account & { file: string; line: number; text: string; isStory: boolean };

/** The share from which a sentence is told. */
const TOLD = 0.4;

/** Lists the sentences of the policies. Where most of them are told by no rule, as in stories, two words tell something, each of one sentence alone. */
export function listPolicies(sources: readonly SourceText[], account: (text: string) => Account): ToldSentence[] {
  const policies = sources
    .filter(({ path }) => path !== 'brief.md')
    .flatMap(listParagraphs)
    .flatMap(({ file, line, sentences }) =>
      sentences.map(({ text }) => ({ file, line, text, isStory: false, ...account(text) })),
    );
  const told = policies.filter(({ share }) => share >= TOLD).length;
  if (told >= (policies.length - 1) / 2) return policies;
  return policies.map((one) => ({
    ...one,
    isStory: true,
    unknown: one.unknown.filter((word) => !policies.some((other) => other !== one && hasForm(other.unknown, word))),
  }));
}

const LEAST_WEIGHT = 0.01;
/** Short words in more sentences are mostly grammar. */
const SELDOM = 3;
const listOnce = (text: string): string[] => [...new Set(listStems(text))];

/** The length from which words tell something: without vowels they are shorter, and where they are not set apart, two characters. */
export const lengthOfWords = (word: string, spaced: number): number =>
  isUnspaced(word) ? 2 : VOWELLESS.test(word) ? Math.min(spaced, 3) : spaced;

const VOWELLESS = /^[\p{Script=Arabic}\p{Script=Hebrew}]/u;

const ACCENTS = /[\u0300-\u036F]/g;
/** Lists words without their accents, because an ending may change the letter before it: `nabrousit`, `nabroušení`. */
export const listStems = rememberTexts((text): readonly string[] =>
  listWords(text.normalize('NFD').replaceAll(ACCENTS, '').normalize('NFC')),
);

export const hasForm = (words: readonly string[], word: string): boolean => words.some(recogniseForms(word));

function recogniseForms(word: string): (other: string) => boolean {
  const stem = INFLECTED.test(word) ? cutEnding(word) : undefined;
  return (other) => shareStem(word, other) || (stem !== undefined && stem === cutEnding(other));
}

/** Words of Japanese that begin with Chinese signs end in syllables: `汚れ`, `汚し`. */
const INFLECTED = /^(\p{Script=Han}+)\p{Script=Hiragana}+$/u;
const cutEnding = (word: string): string => word.replace(INFLECTED, '$1');
