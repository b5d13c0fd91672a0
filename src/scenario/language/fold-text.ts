/** Folds spellings of the same text into one, so that texts of any script can be compared. */
import { rememberTexts } from './remember-texts.ts';

const INVISIBLE = /[\u00AD\u200B-\u200F\u2060\uFEFF]/g;

/** Digits of any script stand in runs of ten that begin with their zero: `٣٠` and `३०` are `30`. */
function foldDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}

/** Most texts are, and the patterns of this file change nothing in them but take most of the time of reading. */
const isAscii = (text: string): boolean => !/\P{ASCII}/u.test(text);

/** Folds composed and full-width forms, digits of other scripts, invisible marks, dashes and quotation marks; case and line breaks stay. */
export function foldCharacters(text: string): string {
  if (isAscii(text)) return text;
  return text
    .normalize('NFKC')
    .replaceAll(INVISIBLE, '')
    .replaceAll(/(?!\d)\p{Nd}/gu, foldDigit)
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u2018-\u201B]/g, "'")
    .replaceAll(/[\u201C-\u201F]/g, '"');
}

/** Folds case (the dotted and the dotless i of Turkish are one letter), `ß`, emphasis and spacing too: two texts that people read alike become equal. */
export function foldText(text: string): string {
  return foldCharacters(text)
    .toLowerCase()
    .replaceAll(/i\u0307|ı/g, 'i')
    .replaceAll('ß', 'ss')
    .replaceAll(/[*_`]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Between a number or a Latin name and what another script joins to it, such as a particle of Korean: `M-1002입니다`. */
const SCRIPT_CHANGE =
  /(?<=[\p{Script=Latin}\p{N}])(?=[\p{L}--\p{Script=Latin}])|(?<=[\p{L}--\p{Script=Latin}])(?=[\p{Script=Latin}\p{N}])/gv;

/** Sets numbers and Latin names apart from letters of other scripts. */
export function separateScripts(text: string): string {
  return isAscii(text) ? text : text.replaceAll(SCRIPT_CHANGE, ' ');
}

/** Keeps only folded letters and digits, with one space between words. */
export const toPlainWords = rememberTexts((text): string =>
  separateScripts(foldText(text.replaceAll('_', ' ')))
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim(),
);
