/** Writes numbers in words as digits, by the words that the file of each language lists. */
import { foldCharacters } from '../../scenario/language/fold-text.ts';
import { LANGUAGES, listNumberWords } from '../scripted-user/languages.ts';

const WORDS = LANGUAGES.map((language) => {
  const values = new Map([...listNumberWords(language), ...Object.entries(language.multipliers)]);
  const words = `(?:${[...values.keys()].toSorted((one, other) => other.length - one.length).join('|')})`;
  const [word, number] = [words, language.numberInWords.replaceAll('WORD', words)].map(
    (source) => new RegExp(source, 'giu'),
  );
  return { values, word, number };
});

/** "three thousand two hundred", "zweiundachtzig", "一千零八十". */
export function writeDigits(text: string): string {
  let written = foldCharacters(text).replaceAll('ß', 'ss');
  for (const { values, word = /$/g, number = /$/g } of WORDS)
    written = written.replaceAll(number, (found) => {
      let [sum, group] = [0, 0];
      for (const [one] of found.toLowerCase().matchAll(word)) {
        const value = values.get(one) ?? 0;
        if (value < 100) group += value;
        else if (value === 100) group = Math.max(group, 1) * value;
        else [sum, group] = [sum + Math.max(group, 1) * value, 0];
      }
      return String(sum + group);
    });
  return written;
}
