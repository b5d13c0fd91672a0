/** The words of a text that say what it is about, and whether they are those of a sample. */
import { isCurrency } from '../../scenario/language/amounts.ts';
import { toPlainWords } from '../../scenario/language/fold-text.ts';
import { isUnspaced } from '../../scenario/language/split-text.ts';
import { areWordForms } from '../../scenario/language/word-forms.ts';
import { isOftenUsed } from '../scripted-user/find-language.ts';
import { readMeaning } from '../scripted-user/meaning.ts';

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

/** True when the text holds the value, as whole words where words are set apart. */
export function holdsValue(text: string, value: string): boolean {
  const [asked, own] = [toPlainWords(text), toPlainWords(value)];
  if (isUnspaced(own)) return asked.includes(own);
  return own.length > 2 && ` ${asked} `.includes(` ${own} `);
}
