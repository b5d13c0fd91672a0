/** Checks whether a rule's `source` names a section: by number, by title, or by a file that has only one section. */

export type SectionReference = { path: string; title: string; isOnly: boolean };

/** The number of a section, as in `3.2 Fees` or `Section 3: Fees`; a number later in a title does not count. */
const NUMBER = /^[^\p{L}\p{N}]*(?:\p{L}+\.?\s+|第\s*)?(\d+(?:\.\d+)*)/u;
/** Locations within a section: paragraph 1 of section 2 does not name section 1. */
const WITHIN =
  /(?:\b(?:abs(?:atz)?|satz|nr|nummer|zeilen?|para(?:graph)?s?|sentences?|bullets?|items?|lines?)\b\.?\s*\d+(?:\s*[-–—]\s*\d+)?)|[（(]\d+[)）]|第\s*\d+\s*[款项項]/giu;
const MOST_IN_RANGE = 100;
/** The shortest title that is searched for; shorter ones occur in many sentences. */
const LEAST_TITLE = /\p{Script=Han}{2}|\p{L}{4}/u;

/** Reads `returns.md, section 2; fees.md, sections 1 to 3`; a part without a file refers to the file before it. */
export function namesSection(source: string, place: SectionReference, paths: readonly string[]): boolean {
  return extractReferences(source, place.path, paths).some(
    (words) => place.isOnly || mentionsTitle(words, place.title),
  );
}

/** Returns the parts of `source` that refer to this file, without the file names. */
function extractReferences(source: string, path: string, all: readonly string[]): string[] {
  // Comparing names pair by pair takes a minute with the 400 sources of a handbook; one that is not written here is no match.
  const paths = all.filter((one) => source.includes(getFileName(one)));
  const names = paths.flatMap((one) => [one, ...(isUniqueName(one, paths) ? [getFileName(one)] : [])]);
  const files = names.filter((name) => source.includes(name)).toSorted((one, other) => other.length - one.length);
  if (files.length === 0) return [];
  const pattern = new RegExp(
    `(${files.map((name) => name.replaceAll(/[.\\+?^${}()|[\]*]/g, String.raw`\$&`)).join('|')})`,
  );
  const places: string[] = [];
  let current: string | undefined;
  for (const part of source.split(/[;；]/)) {
    const [before = '', ...rest] = part.split(pattern);
    // In `section 2 of returns.md` the file name comes last.
    const isBefore = /\p{N}/u.test(before) && rest.length > 0;
    const says = isBefore
      ? [before, ...rest.filter((_, index) => index % 2 === 1)]
      : rest.filter((_, index) => index % 2 === 1);
    const named = rest.filter((_, index) => index % 2 === 0);
    if (named.length === 0 && current === path) places.push(part);
    for (const [index, name] of named.entries()) {
      current = paths.find((one) => one === name) ?? paths.find((one) => getFileName(one) === name);
      if (current === path) places.push(says[index] ?? '');
    }
  }
  return places;
}

const getFileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const isUniqueName = (path: string, paths: readonly string[]): boolean =>
  paths.filter((other) => getFileName(other) === getFileName(path)).length === 1;

function mentionsTitle(words: string, title: string): boolean {
  const plain = replaceNumerals(words.toLowerCase());
  const heading = replaceNumerals(title.toLowerCase());
  const number = NUMBER.exec(heading)?.[1];
  const numbers = listNumbers(plain.replaceAll(WITHIN, ' '));
  if (number !== undefined && numbers.has(number)) return true;
  const own = heading.replace(NUMBER, '').replace(/^[^\p{L}\p{N}]+/u, '');
  return (numbers.size === 0 || /\d/.test(own)) && LEAST_TITLE.test(own) && plain.includes(own);
}

function listNumbers(place: string): Set<string> {
  const ranges = [...place.matchAll(/(\d+)\s*(?:to|bis|[-–—~至])\s*(\d+)/g)].flatMap(([, from = '', to = '']) => {
    const length = Math.min(Number(to) - Number(from), MOST_IN_RANGE);
    return Array.from({ length: Math.max(length, 0) }, (_, index) => String(Number(from) + index));
  });
  return new Set([...ranges, ...(place.match(/\d+(?:\.\d+)*/g) ?? [])]);
}

/** Replaces Chinese numerals of sections by digits: `第三条` becomes `第3条`, `三、` becomes `3、`. */
function replaceNumerals(text: string): string {
  return text.replaceAll(/(?<=第\s*)[一二三四五六七八九十]+|^[（(]?[一二三四五六七八九十]+(?=[、)）])/gu, (numeral) => {
    const digits = numeral.replace(/^[（(]/, '');
    return numeral.replace(digits, String(parseNumeral(digits)));
  });
}

/** Reads a Chinese numeral up to 99. */
function parseNumeral(numeral: string): number {
  const digit = (one: string | undefined): number => '一二三四五六七八九'.indexOf(one ?? '') + 1;
  const at = numeral.indexOf('十');
  if (at < 0) return digit(numeral[0]);
  return (at === 0 ? 1 : digit(numeral[at - 1])) * 10 + (at + 1 < numeral.length ? digit(numeral[at + 1]) : 0);
}
