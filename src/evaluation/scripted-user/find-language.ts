/** Tells which of the languages that are read a text shows, and that it shows none. */
import { detectLanguage, LANGUAGES, OFTEN, type Language } from './languages.ts';
import { foldCharacters } from '../../scenario/language/fold-text.ts';
import { isSmallWord } from './meaning.ts';

const [chinese, german, english] = LANGUAGES;
const GERMAN_SIGNS = new RegExp(String.raw`\b${OFTEN}\b.*\b${OFTEN}\b`, 'i');

const ENGLISH_SIGNS = /^(?:i'(?:d|m|ve|ll)|\p{L}+n't|want|like|need|hello|am|if|is|it|of|or|we)$/u;

/** Returns the language only where the text shows it; `detectLanguage` takes every other language for English. */
export function findLanguage(text: string): Language | undefined {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)) return undefined;
  if (chinese?.shows.test(text) === true) return chinese;
  if (GERMAN_SIGNS.test(text) || /\b(?:Sie|Ihnen|Ihre?[nmrs]?)\b/.test(text)) return german;
  const words =
    foldCharacters(text)
      .toLowerCase()
      .match(/[\p{L}']+/gu) ?? [];
  const shown = new Set(words.filter((word) => ENGLISH_SIGNS.test(word) || (word.length > 2 && isSmallWord(word))))
    .size;
  return shown > 1 || (shown === 1 && words.length < 6) ? english : undefined;
}

/** True for a word that says nothing about what a question is about. */
export function isOftenUsed(word: string): boolean {
  return isSmallWord(word) || new RegExp(`^${OFTEN}$`, 'i').test(word);
}

export function isEnglish(text: string): boolean {
  return detectLanguage(text) === english;
}
