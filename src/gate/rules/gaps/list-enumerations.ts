/** Finds what a source lists: columns of tables, list items, and the parts of a sentence such as "annul, move or resell". */
import { rememberTexts } from '../../../scenario/language/remember-texts.ts';
import {
  endsSentence,
  isUnspaced,
  listWords,
  splitSentences,
  splitWords,
} from '../../../scenario/language/split-text.ts';
import type { SourceText } from '../find-quote.ts';

/** An item of more words than `mostWords` is a statement, and no name of a kind. */
export type Enumeration = { file: string; line: number; items: string[]; mostWords: number };

const MOST_WORDS = { listed: 8, inSentence: 4 };
const LANGUAGES = 'en de fr es it pt nl sv pl ru uk tr ar zh ja ko da el fi he hu ro vi'.split(' ');
const ITEM = /^\s*(?:[-*+•]|[（(]?\d+[.)）、]|[一二三四五六七八九十]+、)\s*/;
const ROW = /^\s*\|/;
const RULED = /^\s*\|[\s:|-]+$/;

export function listEnumerations({ path, text }: SourceText): Enumeration[] {
  const lines = text.split(/\r?\n/);
  const connectors = findConnectors(text);
  return groupLines(lines).flatMap(({ from, own }) => {
    const place = { file: path, line: from + 1, mostWords: MOST_WORDS.listed };
    if (isRow(own[0])) return listColumns(own).map((items) => ({ ...place, items }));
    const texts = joinItems(own);
    const inSentences = texts.flatMap((text) => listInSentences(text, connectors));
    return [
      ...(isItem(own[0]) ? [{ ...place, items: texts.map(trimItem) }] : []),
      ...inSentences.map((items) => ({ ...place, items, mostWords: MOST_WORDS.inSentence })),
    ];
  });
}

type Paragraph = { file: string; line: number; sentences: { text: string; parts: string[] }[] };

/** Lists the sentences of each paragraph, list and table, with their parts between commas and the words for "and" and "or". */
export function listParagraphs({ path, text }: SourceText): Paragraph[] {
  const { separator } = findConnectors(text);
  return groupLines(text.split(/\r?\n/)).map(({ from, own }) => ({
    file: path,
    line: from + 1,
    sentences: (isRow(own[0]) ? own : joinItems(own)).flatMap(splitSentences).map((sentence) => ({
      text: sentence,
      parts: sentence
        .split(separator)
        .filter((part, at) => at % 2 === 0 && listWords(part).length > 0)
        .map(trimItem),
    })),
  }));
}

/** Lists the items of each list, with their numbers, and the sentences of paragraphs that stand on lines of their own. */
export const listItems = ({ path, text }: SourceText): { file: string; line: number; items: string[] }[] =>
  groupLines(text.split(/\r?\n/)).flatMap(({ from, own }) =>
    isRow(own[0]) ? [] : [{ file: path, line: from + 1, items: joinLines(own) }],
  );

const isRow = (line = ''): boolean => ROW.test(line);
const isItem = (line = ''): boolean => ITEM.test(line);

type LineGroup = { from: number; own: string[] };

/** Groups the lines of one paragraph, one table or one list. */
function groupLines(lines: readonly string[]): LineGroup[] {
  const groups: LineGroup[] = [];
  let last = '';
  for (const [from, line] of lines.entries()) {
    const group = groups.at(-1);
    const isList = isItem(group?.own[0]);
    // A list ends at a line that is no item and is not set under one.
    const begins = last.trim() === '' || (isList ? /^\S/.test(line) && !isItem(line) : isItem(line));
    if (line.trim() !== '' && !line.startsWith('#')) {
      if (group === undefined || begins) groups.push({ from, own: [line] });
      else group.own.push(line);
    }
    last = line.startsWith('#') ? '' : line;
  }
  return groups;
}

/** The items of a list, without their marks; a paragraph is one, or as many as it has lines that end a sentence. */
const joinItems = (lines: readonly string[]): string[] => joinLines(lines).map((item) => item.replace(ITEM, ''));

function joinLines(lines: readonly string[]): string[] {
  const items: string[] = [];
  const begins = isItem(lines[0]) ? isItem : () => lines.every(endsSentence);
  for (const line of lines) items.push(begins(line) ? line.trim() : `${items.pop() ?? ''} ${line.trim()}`.trim());
  return items.map((item) => item.replaceAll(/\s+/g, ' '));
}

/** The columns of a table below its head. */
function listColumns(rows: readonly string[]): string[][] {
  const cells = rows
    .filter((row) => !RULED.test(row))
    .slice(1)
    .map((row) => row.trim().match(/[^|]+/g) ?? []);
  return (cells[0] ?? []).map((_, at) => cells.map((row) => trimItem(row[at] ?? '')));
}

function listInSentences(text: string, connectors: Connectors): string[][] {
  return splitSentences(text).flatMap((sentence) => {
    // Where a script has a comma for lists alone, its other commas divide clauses.
    const clauses = sentence.includes('、') ? joinLast(sentence, connectors).split(/[，,；;：:。]/u) : [sentence];
    // A line that ends with a colon is no item: it tells what the items are.
    const lists = clauses.map((clause) => splitItems(clause, connectors).filter((item) => !/[:：]\s*$/.test(item)));
    return lists.map((items) => items.map(trimItem)).filter((parts) => parts.length > 2);
  });
}

/** Takes a comma before the last item, "，或者", for a comma of the list. */
const joinLast = (sentence: string, { last }: Connectors): string =>
  sentence.replaceAll(new RegExp(`[，,](?=${last})`, 'gu'), '、');

/** Cuts a clause at its connectors; a second "and" after a comma begins another clause, and ends the list. */
function splitItems(clause: string, { separator }: Connectors): string[] {
  const items: string[] = [];
  let [hasComma, hasLast] = [false, false];
  let word = '';
  for (const [at, part] of clause.split(separator).entries()) {
    if (at % 2 === 0) items.push(dropWordEnd(word, part));
    else {
      const isComma = /[,、;،]/.test(part);
      if (!isComma && hasComma && hasLast) break;
      hasComma ||= isComma;
      word = part.replaceAll(/[\s,、;،]/g, '');
      hasLast ||= hasComma && word !== '';
    }
  }
  return items;
}

/** Drops what still belongs to the word for "or" where words are not set apart: `或` begins `或者`. */
function dropWordEnd(word: string, item: string): string {
  if (!isUnspaced(word)) return item;
  const [first = ''] = splitWords(word + item);
  return item.slice(Math.max(first.length - word.length, 0));
}

const trimItem = (item: string): string =>
  item
    .replaceAll(/[*_`“”"«»|]/g, ' ')
    .replaceAll(/[.,;:!?。；：]+\s*$/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

export const isShort = (item: string, mostWords: number): boolean =>
  (isUnspaced(item) ? item.length / 2 : item.split(' ').length) <= mostWords && listWords(item).length > 0;

/** The share of a text's letters that may be foreign to its language, such as those of a name. */
const MOST_FOREIGN = 0.02;

/** Names of currencies show nearly all letters of a language, save in scripts of many characters. */
const listLetters = rememberTexts((language) => {
  const names = new Intl.DisplayNames(language, { type: 'currency' });
  return new Set(
    Intl.supportedValuesOf('currency').flatMap((code) => Array.from((names.of(code) ?? '').toLowerCase())),
  );
});

function mayBeWritten(text: string, language: string): boolean {
  const written =
    text
      .normalize()
      .toLowerCase()
      .match(/(?![a-z])[\p{Script=Latin}\p{Script=Cyrillic}]/gu) ?? [];
  const own = listLetters(language);
  return written.filter((letter) => !own.has(letter)).length <= text.length * MOST_FOREIGN;
}

type Connectors = { separator: RegExp; last: string };

const listConnectors = rememberTexts((language) =>
  (['conjunction', 'disjunction'] as const).map((type) =>
    new Intl.ListFormat(language, { type }).format(['', '']).trim(),
  ),
);

/** Splits at commas, and at the words for "and" and "or" in the language of the text, as the engine knows them. */
function findConnectors(text: string): Connectors {
  const likely = LANGUAGES.filter((language) => mayBeWritten(text, language));
  const words = (likely.length > 0 ? likely : LANGUAGES).map(listConnectors);
  const count = (own: readonly string[]) =>
    own.reduce((sum, word) => sum + text.split(isUnspaced(word) ? word : ` ${word} `).length, 0);
  const [own = []] = words.toSorted((one, other) => count(other) - count(one));
  const parts = own.map((word) => (isUnspaced(word) ? word : String.raw`\s${word}\s`)).join('|');
  const afterComma = own.map((word) => (isUnspaced(word) ? word : String.raw`${word}\s`)).join('|');
  const separator = new RegExp(String.raw`([,、;،]\s*(?:${afterComma})?|${parts})`, 'iu');
  return { separator, last: own.join('|') };
}
