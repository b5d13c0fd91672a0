/** The words of a text that say what it is about, and what a sample speaks of: a yes to anything else would be one that nobody gave. */
import { isCurrency } from '../../scenario/language/amounts.ts';
import { foldText } from '../../scenario/language/fold-text.ts';
import { isUnspaced } from '../../scenario/language/split-text.ts';
import { areWordForms } from '../../scenario/language/word-forms.ts';
import type { Sample } from '../../scenario/sample.ts';
import { findLanguage, isOftenUsed } from '../scripted-user/find-language.ts';
import { readMeaning } from '../scripted-user/meaning.ts';
import { saysNo, saysYes } from '../scripted-user/sentences.ts';

/** True when each of the words is among the others, in any of its forms. */
export function isHeld(words: readonly string[], whole: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => whole.some((other) => areWordForms(word, other)));
}

/** A form of the word, or a part of a compound of it: `Buchung` of `Zimmerbuchung`. */
export function isPartOf(word: string, own: string): boolean {
  if (areWordForms(word, own)) return true;
  if (word.length < 5 || isUnspaced(word) || /\d/.test(word)) return false;
  const shared = Array.from(word).findIndex((letter, index) => own[index] !== letter);
  return own.endsWith(word) || shared < 0 || shared >= Math.max(5, 0.7 * Math.max(word.length, own.length));
}

/** Words by which consent is asked for, besides the small words of the languages. */
const ASKING = new Set(
  (
    'go do work sure correct right happy certain sound good continue need make deal yes alright all okay day today now ' +
    'im in es so zu an am dann also gern gerne fortfahren weiter weitermachen machen tun recht ordnung sicher richtig darf dürfen wollen würden gebe gibt ' +
    'zahlen bezahlen 支付 收取 可以 继续 需要 是否 这样 办理 现在 吗 呢 确定 没问题 想要'
  )
    .split(' ')
    .flatMap((word) => [...readMeaning(word)]),
);

/** Lists the concepts of a text without those that only ask or agree. */
export function readContent(text: string): string[] {
  const telling = text.replaceAll(/[\p{L}']+/gu, (word) => (isOftenUsed(word) ? ' ' : word));
  return [...readMeaning(telling)].filter(
    (word) =>
      word !== 'agree' &&
      !ASKING.has(word) &&
      !isCurrency(word) &&
      !isOftenUsed(word) &&
      !/^\p{Script=Han}$/u.test(word),
  );
}

export type KnownSample = Pick<Sample, 'user' | 'gold' | 'gold_says'>;

/** Lists what gold does, and what its user agrees to. */
export function listConsented({ gold }: KnownSample): string[] {
  return gold.flatMap((step, index) => {
    if ('tool' in step) return [step.tool, JSON.stringify(step.args)];
    const next = gold[index + 1];
    return 'says' in step && next !== undefined && 'user' in next && mayAgree(next.user) ? [step.says] : [];
  });
}

/** In a language that is not read, any answer may be a yes. */
function mayAgree(answer: string): boolean {
  return saysYes(answer) || (findLanguage(answer) === undefined && !saysNo(answer));
}

export function listKnown(sample: KnownSample): string {
  const { user, gold_says: goldSays } = sample;
  return [user.says_first, ...Object.entries(user.knows).flat(), ...listConsented(sample), goldSays].join('\n');
}

/** Returns the first number of a text that the sample does not hold. */
export function findNewNumber(text: string, sample: KnownSample): number | undefined {
  const known = readNumbers(listKnown(sample));
  return [...readNumbers(text)].find((number) => !known.has(number));
}

const NUMBER = /(?<thousands>[1-9]\d{0,2}(?:[,.'’]\d{3})+)(?!\d)(?:[.,](?<cents>\d{1,2})(?!\d))?|\d+(?:[.,]\d+)?/g;

/** A separator of thousands changes no number: `3,000`, `3.000` and `3000` are one. */
export function readNumbers(text: string): Set<number> {
  const found = [...foldText(text).matchAll(NUMBER)].map(([number, thousands, cents]) =>
    thousands === undefined ? number.replace(',', '.') : `${thousands.replaceAll(/\D/g, '')}.${cents ?? 0}`,
  );
  return new Set(found.map(Number));
}
