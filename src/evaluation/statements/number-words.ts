/** Writes numbers in words as digits, by the words that the file of each language lists. */
import { foldCharacters } from '../../scenario/language/fold-text.ts';
import { isUnspaced } from '../../scenario/language/split-text.ts';
import { LANGUAGES, type Language } from '../scripted-user/languages.ts';

const TENS = 20;

type NumberWords = { pattern: RegExp; values: ReadonlyMap<string, number> };

/** "three thousand two hundred", "zweiundachtzig", "一千零八十": below a hundred, and what hundreds and thousands multiply. */
function readNumberWords({ numbers, multipliers }: Language): NumberWords {
  const listed = numbers.map((word, at): [string, number] => [word, at <= TENS ? at : (at - TENS + 2) * 10]);
  const values = new Map([...listed, ...Object.entries(multipliers.words)]);
  const longestFirst = [...values].toSorted(([one], [other]) => other.length - one.length);
  const list = (isIn: (value: number) => boolean): string =>
    `(?:${longestFirst.flatMap(([word, value]) => (isIn(value) ? [word] : [])).join('|')})`;
  const [unit, teen, ten] = [
    list((value) => value < 10),
    list((value) => value >= 10 && value < TENS),
    list((value) => value >= TENS && value < 100),
  ];
  const { joint } = multipliers;
  const isHan = numbers.some(isUnspaced);
  const gap = isHan ? '' : '[ -]?';
  const below = `(?:${teen}|${unit}${joint}${ten}|${ten}(?:${gap}${unit})?|${unit})`;
  const scale = list((value) => value >= 100);
  // A multiplier of Chinese is part of many words that count nothing.
  const scaled = `(?:${below}${gap})${isHan ? '' : '?'}${scale}${gap}(?:${joint}${gap})?`;
  const number = `(?:(?:${scaled})+(?:${below})?|${below})`;
  const pattern = new RegExp(isHan ? number : String.raw`(?<!\p{L}-?)${number}(?!-?\p{L})`, 'giu');
  return { pattern, values: new Map(longestFirst) };
}

const WORDS = LANGUAGES.map(readNumberWords);

export function writeDigits(text: string): string {
  return WORDS.reduce(
    (written, words) => written.replaceAll(words.pattern, (found) => countWords(found, words)),
    foldCharacters(text).replaceAll('ß', 'ss'),
  );
}

function countWords(found: string, { values }: NumberWords): string {
  const end = /[ -]*$/.exec(found)?.[0] ?? '';
  let [sum, group] = [0, 0];
  for (let rest = found.toLowerCase(); rest !== '';) {
    const [word = '-', value = 0] = [...values].find(([one]) => rest.startsWith(one)) ?? [];
    if (value < 100) group += value;
    else if (value === 100) group = Math.max(group, 1) * value;
    else [sum, group] = [sum + Math.max(group, 1) * value, 0];
    rest = rest.slice(word.length);
  }
  return `${sum + group}${end}`;
}
