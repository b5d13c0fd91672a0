/** Splits a source into sections: by Markdown headings, by numbered lines, or else by paragraphs and list items. */
import { takeHead } from '../../transcript/tokens.ts';
import { significantWords } from '../../scenario/language/word-forms.ts';

/** A section; `line` is its heading or first line, and both lines count from 1. */
export type CutSection = { line: number; lastLine: number; title: string };

/** The start of a section; `body` is its first line of content (`from` in a paragraph), `level` is as in `<h1>`. */
type SectionStart = { from: number; body: number; level: number; title?: string };

/** The words that a text before the first section needs to be a section; fewer are taken for an owner and a date. */
const SHORT_OPENING = 12;
const BELOW_ALL = 9;
const LONGEST_TITLE = 80;
/** The most sections of one source; the last section extends to the end of the file. */
const MOST_SECTIONS = 300;

/** Headings marked with `#`, or underlined with `===` or `---`. */
const HASHES = /^(#{1,6})\s+(.*\S)/;
const UNDERLINE = /^\s{0,3}(={3,}|-{3,})\s*$/;
/** Numbering that only sections have. */
const NUMBERED =
  /^\s{0,3}(?:\u00a7|第\s*[\d〇零一二三四五六七八九十百]+\s*[章节節条條]|(?:section|article|abschnitt|artikel|kapitel)\s+\d)/iu;
/** Numbering that list items have too, and lines in bold. */
const ITEM = /^(?:[-*+•]\s|[（(]?\d+(?:\.\d+)*[.)）、]|\d+(?:\.\d+)+\s|[（(]?[一二三四五六七八九十]+[、)）])/;
const BOLD = /^(\*\*|__)[^*_]+\1:?\s*$/;
const BULLET = /^[-*+•]\s/;
const SENTENCE_END = /[.,;!?。，；！？]["”»)）]?\s*$/;

export function cutSections(text: string): CutSection[] {
  const lines = text.split(/\r?\n/);
  const headings = findHeadings(lines);
  const isHeaded = headings.length > 1;
  const starts = (isHeaded ? withOpening(headings, lines) : findParagraphs(lines, headings)).slice(0, MOST_SECTIONS);
  return starts.flatMap(({ from, body, level, title }, index) => {
    const to = starts[index + 1]?.from ?? lines.length;
    const own = lines.slice(body, to).join('\n');
    const words = countWords(own);
    const below = isHeaded ? (starts[1]?.level ?? 0) > level : headings.some((one) => one.from > from);
    const isOpening = index === 0 && starts.length > 1 && below;
    if (words < (isOpening ? SHORT_OPENING : 1)) return [];
    return [{ line: from + 1, lastLine: to, title: shortTitle(title ?? own) }];
  });
}

/** Uses unsure marks only where sure headings are rare: below `## 1. Fees`, a line `1. Small ones` is a list item. */
function findHeadings(lines: readonly string[]): SectionStart[] {
  const isCode = markCodeLines(lines);
  const find = (read: (from: number) => SectionStart | undefined) =>
    lines.flatMap((_, from) => (isCode[from] ? [] : (read(from) ?? [])));
  const sure = find((from) => markedHeading(lines, from) ?? numberedHeading(lines, from));
  if (sure.length > 1) return sure;
  const isTitle = (line: string, from: number) =>
    beginsParagraph(lines, from) && (BOLD.test(line) || (ITEM.test(line) && !BULLET.test(line))) && isShort(line);
  const unsure = find((from) => {
    const title = lines[from] ?? '';
    const isFollowedByWords = !isTitle(...nextLine(lines, from));
    return isTitle(title, from) && isFollowedByWords ? { from, body: from + 1, level: BELOW_ALL, title } : undefined;
  });
  const all = [...sure, ...unsure].toSorted((one, other) => one.from - other.from);
  return unsure.length > 1 ? all : sure;
}

function markedHeading(lines: readonly string[], from: number): SectionStart | undefined {
  const line = lines[from] ?? '';
  const [, hashes = '', title] = HASHES.exec(line) ?? [];
  if (title !== undefined) return { from, body: from + 1, level: hashes.length, title: title.replace(/\s#+$/, '') };
  const level = lines[from + 1]?.trim().startsWith('=') === true ? 1 : 2;
  const isUnderlined = UNDERLINE.test(lines[from + 1] ?? '') && isShort(line) && !UNDERLINE.test(line);
  return isUnderlined && beginsParagraph(lines, from) ? { from, body: from + 2, level, title: line.trim() } : undefined;
}

/** Finds `Section 3: Fees`, and `Section 3 is about cash.`, where the heading is also the text. */
function numberedHeading(lines: readonly string[], from: number): SectionStart | undefined {
  const line = lines[from] ?? '';
  if (!NUMBERED.test(line) || !(beginsParagraph(lines, from) || /^\s*第/.test(line))) return undefined;
  return { from, body: isShort(line) ? from + 1 : from, level: BELOW_ALL, title: line.trim() };
}

/** Marks lines of code, where a line that begins with `#` is no heading. */
function markCodeLines(lines: readonly string[]): boolean[] {
  let isCode = false;
  return lines.map((line) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    return isCode;
  });
}

function withOpening(headings: readonly SectionStart[], lines: readonly string[]): SectionStart[] {
  const from = lines.findIndex((line) => line.trim() !== '');
  return from === headings[0]?.from ? [...headings] : [{ from, body: from, level: 0 }, ...headings];
}

/** Starts a section at each paragraph; a line between blank lines that is no sentence is its title. */
function findParagraphs(lines: readonly string[], headings: readonly SectionStart[]): SectionStart[] {
  const isCode = markCodeLines(lines);
  const starts: SectionStart[] = [];
  let hasTitle = false;
  for (const [from, line] of lines.entries()) {
    const heading = headings.find((one) => one.from === from);
    const begins = beginsParagraph(lines, from) || (ITEM.test(line) && !isCode[from]);
    if (heading !== undefined) starts.push(heading);
    else if (begins && !hasTitle)
      starts.push(
        isTitleLine(lines, from)
          ? { from, body: from + 1, level: BELOW_ALL, title: line }
          : { from, body: from, level: BELOW_ALL },
      );
    if (begins) hasTitle = heading === undefined && !hasTitle && isTitleLine(lines, from);
  }
  return starts;
}

function isTitleLine(lines: readonly string[], from: number): boolean {
  const line = lines[from] ?? '';
  const [next, at] = nextLine(lines, from);
  const isAlone = isShort(line) && !ITEM.test(line) && at > from + 1;
  return isAlone && (SENTENCE_END.test(next) || (lines[at + 1] ?? '').trim() !== '');
}

const beginsParagraph = (lines: readonly string[], from: number): boolean =>
  (lines[from] ?? '').trim() !== '' && (from === 0 || (lines[from - 1] ?? '').trim() === '');

const isShort = (line: string): boolean =>
  line.length <= LONGEST_TITLE && /[\p{L}\p{N}]/u.test(line) && !SENTENCE_END.test(line);

/** Returns the next line that is not blank, with its index. */
function nextLine(lines: readonly string[], from: number): [string, number] {
  let at = from + 1;
  while (at < lines.length && (lines[at] ?? '').trim() === '') at += 1;
  return [lines[at] ?? '', at];
}

/** Counts words; in Chinese, where no spaces divide them, two characters count as one word. */
function countWords(text: string): number {
  const lengths = significantWords(text).map((word) => (/\p{Script=Han}/u.test(word) ? word.length / 2 : 1));
  return Math.ceil(lengths.reduce((sum, length) => sum + length, 0));
}

function shortTitle(text: string): string {
  const plain = text.replaceAll(/[*_`]/g, '').replaceAll(/\s+/g, ' ').trim();
  return plain.length > LONGEST_TITLE ? `${takeHead(plain, LONGEST_TITLE)}…` : plain;
}
