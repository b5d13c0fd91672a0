/** Where the sections of a source begin: headings of Markdown, numbered lines of plain text, else paragraphs and items of lists. */
import { headOf } from '../../transcript/cut-text.ts';
import { significantWords } from './design-checks.ts';

/** `line` is that of the heading, or the first one of a paragraph. Both lines count from 1. */
export type CutSection = { line: number; lastLine: number; title: string };

/** `body` is the first line whose words are the section's own: of a paragraph it is `from`. `level` as in `<h1>`. */
type Start = { from: number; body: number; level: number; title?: string };

/** What is between the title of a file and its first section is an owner and a date, unless it has more words. */
const SHORT_OPENING = 12;
const BELOW_ALL = 9;
const LONGEST_TITLE = 80;
/** Of one source: nobody looks through more. The last one goes to the end of the file. */
const MOST_SECTIONS = 300;

/** `#` headings and `===` or `---` under a line. */
const HASHES = /^(#{1,6})\s+(.*\S)/;
const UNDERLINE = /^\s{0,3}(={3,}|-{3,})\s*$/;
/** Numbers that only sections have. */
const NUMBERED =
  /^\s{0,3}(?:\u00a7|第\s*[\d〇零一二三四五六七八九十百]+\s*[章节節条條]|(?:section|article|abschnitt|artikel|kapitel)\s+\d)/iu;
/** Numbers that items of a list have too, and lines in bold. */
const ITEM = /^(?:[-*+•]\s|[（(]?\d+(?:\.\d+)*[.)）、]|\d+(?:\.\d+)+\s|[（(]?[一二三四五六七八九十]+[、)）])/;
const BOLD = /^(\*\*|__)[^*_]+\1:?\s*$/;
const BULLET = /^[-*+•]\s/;
const SENTENCE_END = /[.,;!?。，；！？]["”»)）]?\s*$/;

export function cutSections(text: string): CutSection[] {
  const lines = text.split(/\r?\n/);
  const headings = headingsOf(lines);
  const isHeaded = headings.length > 1;
  const starts = (isHeaded ? withOpening(headings, lines) : paragraphsOf(lines, headings)).slice(0, MOST_SECTIONS);
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

/** The less sure a mark is, the fewer of the surer ones there may be: below `## 1. Fees`, a line `1. Small ones` is an item. */
function headingsOf(lines: readonly string[]): Start[] {
  const isCode = codeLines(lines);
  const find = (read: (from: number) => Start | undefined) =>
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

function markedHeading(lines: readonly string[], from: number): Start | undefined {
  const line = lines[from] ?? '';
  const [, hashes = '', title] = HASHES.exec(line) ?? [];
  if (title !== undefined) return { from, body: from + 1, level: hashes.length, title: title.replace(/\s#+$/, '') };
  const level = lines[from + 1]?.trim().startsWith('=') === true ? 1 : 2;
  const isUnderlined = UNDERLINE.test(lines[from + 1] ?? '') && isShort(line) && !UNDERLINE.test(line);
  return isUnderlined && beginsParagraph(lines, from) ? { from, body: from + 2, level, title: line.trim() } : undefined;
}

/** `Section 3: Fees`, and `Section 3 is about cash.`, where the heading is the text. */
function numberedHeading(lines: readonly string[], from: number): Start | undefined {
  const line = lines[from] ?? '';
  if (!NUMBERED.test(line) || !(beginsParagraph(lines, from) || /^\s*第/.test(line))) return undefined;
  return { from, body: isShort(line) ? from + 1 : from, level: BELOW_ALL, title: line.trim() };
}

/** A line of code that begins with `#` is no heading. */
function codeLines(lines: readonly string[]): boolean[] {
  let isCode = false;
  return lines.map((line) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    return isCode;
  });
}

function withOpening(headings: readonly Start[], lines: readonly string[]): Start[] {
  const from = lines.findIndex((line) => line.trim() !== '');
  return from === headings[0]?.from ? [...headings] : [{ from, body: from, level: 0 }, ...headings];
}

/** A line between two blank ones that is no sentence is the title of the paragraph after it. */
function paragraphsOf(lines: readonly string[], headings: readonly Start[]): Start[] {
  const isCode = codeLines(lines);
  const starts: Start[] = [];
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

/** The next line that is not blank, with its index. */
function nextLine(lines: readonly string[], from: number): [string, number] {
  let at = from + 1;
  while (at < lines.length && (lines[at] ?? '').trim() === '') at += 1;
  return [lines[at] ?? '', at];
}

/** In Chinese, where nothing divides words, two characters count as one. */
function countWords(text: string): number {
  const lengths = significantWords(text).map((word) => (/\p{Script=Han}/u.test(word) ? Math.ceil(word.length / 2) : 1));
  return lengths.reduce((sum, length) => sum + length, 0);
}

function shortTitle(text: string): string {
  const plain = text.replaceAll(/[*_`]/g, '').replaceAll(/\s+/g, ' ').trim();
  return plain.length > LONGEST_TITLE ? `${headOf(plain, LONGEST_TITLE)}…` : plain;
}
