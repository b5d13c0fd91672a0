/** The words of a text that say what it is about, and what a sample speaks of: a yes to anything else would be one that nobody gave. */
import { isCurrency } from '../../scenario/language/amounts.ts';
import { foldText, toPlainWords } from '../../scenario/language/fold-text.ts';
import { isUnspaced, SPACED_CHARACTER } from '../../scenario/language/split-text.ts';
import { areWordForms } from '../../scenario/language/word-forms.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { TrialCall } from '../components/trial-record.ts';
import { detectLanguage, findLanguage, GRAMMAR, isFiller, isSmallWord } from '../scripted-user/languages.ts';
import { isNegated, readMeaning } from '../scripted-user/meaning.ts';
import { readMessage } from '../scripted-user/read-message.ts';
import { isYesOrNo, saysNo, saysYes } from '../scripted-user/sentences.ts';

/** True when each of the words is among the others, in any of its forms. */
export function isHeld(words: readonly string[], whole: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => whole.some((other) => areWordForms(word, other)));
}

/** A form of the word, or a part of a compound of it: `Buchung` of `Zimmerbuchung`. */
function isPartOf(word: string, own: string): boolean {
  if (areWordForms(word, own)) return true;
  if (isUnspaced(word)) return own.includes(word);
  if (word.length < 5 || /\d/.test(word)) return false;
  const shared = Array.from(word).findIndex((letter, index) => own[index] !== letter);
  return own.endsWith(word) || shared < 0 || shared >= Math.max(5, 0.7 * Math.max(word.length, own.length));
}

/** True when the question holds every word of the name, in any of its forms. */
export function isNamed(name: string, text: string): boolean {
  if (isUnspaced(name)) return toPlainWords(text).includes(toPlainWords(name));
  return isHeld([...readMeaning(name)], [...readMeaning(text)]);
}

/** True for a fact that a statement, in a language that is read, neither asks for nor names. */
export const isUntimely = (name: string, said: string): boolean =>
  findLanguage(said) !== undefined && readMessage(said).isStatement && !isNamed(name, said);

/** True when a user that leaves owes an answer; where no rule reads, a question after an act may be the last courtesy. */
export function waitsForAnswer(
  said: string,
  hasActed: boolean,
  { knows, does_not_know: others }: Sample['user'],
): boolean {
  const { questions, sentences } = readMessage(said);
  const isOpen = questions.some(
    ({ kind, text }) => kind !== 'more' && kind !== 'request' && !(hasActed && findLanguage(text) === undefined),
  );
  const names = [...Object.keys(knows), ...others].flatMap((name) => readContent(name));
  // "Please keep your order number" and "please send the lamp back" ask for no words.
  const isName = (text: string): boolean =>
    isHeld(
      readContent(text).filter((word) => !isFiller(word)),
      names,
    );
  const asksInWords = (text: string): boolean =>
    questions.some((one) => one.text === text && one.kind === 'request') ||
    (GRAMMAR.needs.test(text) && !isNegated(text));
  return isOpen || sentences.some((text) => findLanguage(text) !== undefined && asksInWords(text) && isName(text));
}

/** Lists the concepts of a text without those that only ask or agree, which the patterns of its language find. */
export function readContent(text: string, { consent } = detectLanguage(text)): string[] {
  const told = text.replaceAll(new RegExp(consent, `${consent.flags}g`), ' ');
  const telling = told.replaceAll(/[\p{L}']+/gu, (word) => (isSmallWord(word) ? ' ' : word));
  return [...readMeaning(telling)].filter((word) => word !== 'agree' && !isCurrency(word) && !isSmallWord(word));
}

export type KnownSample = Pick<Sample, 'user' | 'gold' | 'gold_says'>;

/** `readNames`: names of things that the subject has read. */
export type KnownTalk = { sample: KnownSample; readNames?: ReadonlySet<string> };

/** Lists what gold does, and what its user agrees to. */
export function listConsented({ gold }: KnownSample): string[] {
  return gold.flatMap((step, index) => {
    if ('tool' in step) return [step.tool, JSON.stringify(step.args)];
    const next = gold[index + 1];
    if (!('says' in step) || next === undefined || !('user' in next) || saysNo(next.user)) return [];
    // In a language that is not read, any answer may be a yes.
    return saysYes(next.user) || findLanguage(next.user) === undefined ? [step.says] : [];
  });
}

export function listKnown(sample: KnownSample): string {
  const { user, gold_says: goldSays } = sample;
  return [user.says_first, ...Object.entries(user.knows).flat(), ...listConsented(sample), goldSays].join('\n');
}

/** Nobody agrees to the number of a name such as `PL-7712`, or of one that the subject has read. */
const NAME = new RegExp(String.raw`${SPACED_CHARACTER}+(?:[\/\-]${SPACED_CHARACTER}+)*`, 'gv');
const JOINED_NAME = /^(?<letters>\p{L}+)[-/][\p{L}\d/-]*\d/u;

/**
 * Removes names of things. One of the same form as a name of the sample stays: whoever came to cancel HB-2041 does not agree to
 * cancel HB-9999.
 */
export function dropNames(text: string, { sample, readNames }: KnownTalk): string {
  const own = new Set(foldText(listKnown(sample)).match(NAME));
  const forms = new Set([...own].map(toForm));
  return foldText(text).replaceAll(NAME, (word) => {
    if (!/\d/.test(word) || own.has(word) || forms.has(toForm(word))) return word;
    const letters = JOINED_NAME.exec(word)?.groups?.['letters'];
    return readNames?.has(word) === true || (letters !== undefined && !isCurrency(letters)) ? ' ' : word;
  });
}

/** Lists the words of a text that neither the sample speaks of nor grammar needs. */
export function listUnknown(text: string, talk: KnownTalk): string[] {
  const { knows } = talk.sample.user;
  const decides = Object.entries(knows).some(([key, value]) => /\d/.test(key) && isYesOrNo(value));
  // Whoever decides about an amount knows the words for paying it.
  const known = [...readContent(listKnown(talk.sample)), ...(decides ? ['price'] : [])];
  const words = readContent(dropNames(text, talk), detectLanguage(text));
  return words.filter((word) => !isFiller(word) && !known.some((own) => isPartOf(word, own)));
}

/** Returns the first number of a text that the sample does not hold and that is no name of a thing. */
export function findNewNumber(text: string, talk: KnownTalk): number | undefined {
  const known = readNumbers(listKnown(talk.sample));
  return [...readNumbers(dropNames(text, talk))].find((number) => !known.has(number));
}

const toForm = (name: string): string => name.replaceAll(/\d/g, '0');

/** Lists the names of things among what calls were given and answered; days and short numbers are none. */
export function listReadNames(calls: readonly Pick<TrialCall, 'input' | 'output'>[]): ReadonlySet<string> {
  const texts = calls.map(({ input, output }) => foldText(JSON.stringify([input, output])));
  const values = texts.flatMap((text) => [...text.matchAll(/"([\p{L}\d/-]+)\\?"/gu)].map(([, value = '']) => value));
  return new Set(values.filter((value) => /\d/.test(value) && !/^(?:\d{1,4}|\d{4}-\d\d-\d\d.*)$/.test(value)));
}

const NUMBER = /(?<thousands>[1-9]\d{0,2}(?:[,.'’]\d{3})+)(?!\d)(?:[.,](?<cents>\d{1,2})(?!\d))?|\d+(?:[.,]\d+)?/g;

/** A separator of thousands changes no number: `3,000`, `3.000` and `3000` are one. */
export function readNumbers(text: string): Set<number> {
  const found = [...foldText(text).matchAll(NUMBER)].map(([number, thousands, cents]) =>
    thousands === undefined ? number.replace(',', '.') : `${thousands.replaceAll(/\D/g, '')}.${cents ?? 0}`,
  );
  return new Set(found.map(Number));
}
