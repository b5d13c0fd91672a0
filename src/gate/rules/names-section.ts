/** Whether the `source` of a rule names a section: by number, by title, or by the file where that has one section. */

export type NamedPlace = { path: string; title: string; isOnly: boolean };

/** `3.2 Fees`, `Section 3: Fees`; a number later in a title is none of the section's. */
const NUMBER = /^[^\p{L}\p{N}]*(?:\p{L}+\.?\s+|第\s*)?(\d+(?:\.\d+)*)/u;
/** Places within a section: paragraph 1 of section 2 is not section 1. */
const WITHIN =
  /(?:\b(?:abs(?:atz)?|satz|nr|nummer|zeilen?|para(?:graph)?s?|sentences?|bullets?|items?|lines?)\b\.?\s*\d+(?:\s*[-–—]\s*\d+)?)|[（(]\d+[)）]|第\s*\d+\s*[款项項]/giu;
const MOST_IN_RANGE = 100;
/** Shorter titles are in many a sentence. */
const LEAST_TITLE = /\p{Script=Han}{2}|\p{L}{4}/u;

/** `policies/returns.md, section 2; policies/damaged-goods.md, sections 1 to 3`; a part without a file speaks of the file before it. */
export function namesSection(source: string, place: NamedPlace, paths: readonly string[]): boolean {
  return placesIn(source, place.path, paths).some((words) => place.isOnly || isIn(words, place.title));
}

/** What `source` says of this file, without the names of files. */
function placesIn(source: string, path: string, paths: readonly string[]): string[] {
  const names = paths.flatMap((one) => [one, ...(isOwnName(one, paths) ? [nameOf(one)] : [])]);
  const files = names.filter((name) => source.includes(name)).toSorted((one, other) => other.length - one.length);
  if (files.length === 0) return [];
  const pattern = new RegExp(
    `(${files.map((name) => name.replaceAll(/[.\\+?^${}()|[\]*]/g, String.raw`\$&`)).join('|')})`,
  );
  const places: string[] = [];
  let current: string | undefined;
  for (const part of source.split(/[;；]/)) {
    const [before = '', ...rest] = part.split(pattern);
    // `section 2 of returns.md` names the file last.
    const isBefore = /\p{N}/u.test(before) && rest.length > 0;
    const says = isBefore
      ? [before, ...rest.filter((_, index) => index % 2 === 1)]
      : rest.filter((_, index) => index % 2 === 1);
    const named = rest.filter((_, index) => index % 2 === 0);
    if (named.length === 0 && current === path) places.push(part);
    for (const [index, name] of named.entries()) {
      current = paths.find((one) => one === name) ?? paths.find((one) => nameOf(one) === name);
      if (current === path) places.push(says[index] ?? '');
    }
  }
  return places;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const isOwnName = (path: string, paths: readonly string[]): boolean =>
  paths.filter((other) => nameOf(other) === nameOf(path)).length === 1;

function isIn(words: string, title: string): boolean {
  const plain = withDigits(words.toLowerCase());
  const heading = withDigits(title.toLowerCase());
  const number = NUMBER.exec(heading)?.[1];
  const numbers = numbersIn(plain.replaceAll(WITHIN, ' '));
  if (number !== undefined && numbers.has(number)) return true;
  const own = heading.replace(NUMBER, '').replace(/^[^\p{L}\p{N}]+/u, '');
  return (numbers.size === 0 || /\d/.test(own)) && LEAST_TITLE.test(own) && plain.includes(own);
}

function numbersIn(place: string): Set<string> {
  const ranges = [...place.matchAll(/(\d+)\s*(?:to|bis|[-–—~至])\s*(\d+)/g)].flatMap(([, from = '', to = '']) => {
    const length = Math.min(Number(to) - Number(from), MOST_IN_RANGE);
    return Array.from({ length: Math.max(length, 0) }, (_, index) => String(Number(from) + index));
  });
  return new Set([...ranges, ...(place.match(/\d+(?:\.\d+)*/g) ?? [])]);
}

/** `第三条` as `第3条`, and `三、` as `3、`. */
function withDigits(text: string): string {
  return text.replaceAll(/(?<=第\s*)[一二三四五六七八九十]+|^[（(]?[一二三四五六七八九十]+(?=[、)）])/gu, (numeral) => {
    const digits = numeral.replace(/^[（(]/, '');
    return numeral.replace(digits, String(valueOf(digits)));
  });
}

/** Up to 99. */
function valueOf(numeral: string): number {
  const digit = (one: string | undefined): number => '一二三四五六七八九'.indexOf(one ?? '') + 1;
  const at = numeral.indexOf('十');
  if (at < 0) return digit(numeral[0]);
  return (at === 0 ? 1 : digit(numeral[at - 1])) * 10 + (at + 1 < numeral.length ? digit(numeral[at + 1]) : 0);
}
